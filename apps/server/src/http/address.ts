import { isIP } from 'node:net';

const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];
const wildcards = new Set(['0.0.0.0', '::']);
const bracketed = (host: string) => (isIP(host) === 6 ? `[${host}]` : host);

/** `name`, `name:port`, `[v6]:port`; the name in lower case. */
const hostHeader = /^(?<name>\[[0-9a-f:.]+\]|[^:[\]]+)(?::(?<port>\d{1,5}))?$/;

const isIpLiteral = (name: string) => isIP(name.replace(/^\[|\]$/g, '')) !== 0;

/** Whether only this machine can reach `host`. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/**
 * With a public URL, its host and loopback names are ours; without one, IP addresses too: a page of another
 * site reaches us under its own name, never under a bare address.
 */
export const createAddress = (config: { host: string; port: number; publicUrl?: string | undefined }) => {
  let { port } = config;
  let secondPort: number | null = null;
  const shownHost = wildcards.has(config.host) ? 'localhost' : bracketed(config.host);
  const publicHost = config.publicUrl === undefined ? undefined : new URL(config.publicUrl).host;
  const names = new Set([shownHost, ...loopbackNames]);

  const ownsLocally = (host: string) => {
    const { name, port: givenPort = '80' } = hostHeader.exec(host.toLowerCase())?.groups ?? {};
    if (name === undefined || ![port, secondPort].includes(Number(givenPort))) return false;
    return names.has(name) || (publicHost === undefined && isIpLiteral(name));
  };

  /** The origin that links and commands carry, without a slash at its end. */
  const url = (): string => config.publicUrl ?? `http://${shownHost}:${port}`;

  return {
    url,
    /** Whether that is http to another machine than this one. */
    isInsecure: (): boolean => {
      const { protocol, hostname } = new URL(url());
      return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''));
    },
    /** Whether the `Host` of a request names this server. */
    ownsHost: (host: string): boolean => host.toLowerCase() === publicHost || ownsLocally(host),
    /** Whether an `Origin` is a page of this server. */
    ownsOrigin: (origin: string): boolean =>
      origin === config.publicUrl ||
      (origin.startsWith('http://') && ownsLocally(origin.slice('http://'.length))),
    /** Sets the ports that the system assigned; `second` is null without one. */
    listening: (listeningPort: number, second: number | null = null) => {
      port = listeningPort;
      secondPort = second;
    },
  };
};

/** The server's address. With port 0 it is known only once the server listens. */
export type Address = ReturnType<typeof createAddress>;
