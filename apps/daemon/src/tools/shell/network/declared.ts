import { isSubdomain } from '@drawbridge/kit';
import { errors } from '../../common/errors.ts';
import { parseAuthority } from '../../common/egress/authority.ts';
import { isNever, looksLocal, type WebHost } from '../../common/network/host.ts';
import { mayHavePort } from '../ports/sandbox-ports.ts';

export const maxHosts = 16;

/** A host that a command asks for. */
export interface Declared {
  /** In one spelling: `example.org`, `*.example.org`, `example.org:22`, `local:nas.lan:8443`. */
  text: string;
  hostname: string;
  /** Absent: TLS on 443 and HTTP on 80. */
  port?: number;
  subdomains: boolean;
  /** Whether it may be this machine or a private network. */
  local: boolean;
  /** Whether its port opens on the sandbox's own loopback. */
  mirror: boolean;
}

const form = /^(local:)?(\*\.)?([!-~]+)$/;
const thisMachine = new Set(['localhost', '127.0.0.1', '[::1]']);

const refuse = (text: string, why: string) =>
  errors.badArguments({ message: `network: ${JSON.stringify(text.slice(0, 300))} ${why}` });

/** Whether the subdomains have one owner: not those of `co.uk` or `github.io`. */
const hasOwner = async (hostname: string): Promise<boolean> => {
  const { getDomain } = await import('tldts');
  return getDomain(hostname, { allowPrivateDomains: true }) !== null;
};

const mirrorOf = (text: string, port: number | undefined): Declared => {
  if (port === undefined) throw refuse(text, 'needs the port of this machine, such as localhost:5432');
  if (!mayHavePort(port)) throw refuse(text, `has a port that a command cannot have`);
  return {
    text: `localhost:${port}`,
    hostname: 'localhost',
    port,
    subdomains: false,
    local: true,
    mirror: true,
  };
};

/** One text of the argument. Throws `badArguments`; looks nothing up. */
const readDeclared = async (text: string): Promise<Declared> => {
  const [, prefix, wildcard, authority = ''] = form.exec(text) ?? [];
  const place = parseAuthority(authority, 443);
  if (place === undefined)
    throw refuse(text, 'is not a host: write example.org, example.org:22 or *.example.org');
  const port = /:\d+$/.test(authority) ? place.port : undefined;
  const { hostname } = place;
  if (thisMachine.has(hostname)) return mirrorOf(text, port);
  if (isNever(place)) throw refuse(text, 'is an address that is never connected');
  const local = prefix !== undefined || looksLocal(place);
  const subdomains = wildcard !== undefined;
  if (subdomains && (local || !(await hasOwner(hostname))))
    throw refuse(text, 'has subdomains of different owners');
  const host = hostname + (port === undefined ? '' : `:${port}`);
  return {
    text: `${local ? 'local:' : ''}${subdomains ? '*.' : ''}${host}`,
    hostname,
    ...(port !== undefined && { port }),
    subdomains,
    local,
    mirror: false,
  };
};

/** Each host once, in the order of the argument. */
export const readAllDeclared = async (texts: readonly string[]): Promise<Declared[]> => {
  const all = await Promise.all(texts.map(readDeclared));
  return [...new Map(all.map((one) => [one.text, one])).values()];
};

/** What a command asked for that a connection belongs to. */
export const declaredFor = (all: readonly Declared[], place: WebHost): Declared | undefined =>
  all.find(({ hostname, port, subdomains }) => {
    if (port === undefined ? place.port !== 443 && place.port !== 80 : place.port !== port) return false;
    return subdomains ? isSubdomain(place.hostname, hostname) : place.hostname === hostname;
  });

/** For a question. */
export const portWords = ({ port, mirror }: Declared): string => {
  if (mirror) return `port ${port} of this machine`;
  if (port === undefined) return 'https and http';
  return port === 22 ? 'ssh' : `port ${port}, any protocol`;
};
