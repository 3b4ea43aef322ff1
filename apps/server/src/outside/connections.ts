import { lookup } from 'node:dns/promises';
import { Agent, buildConnector, fetch, request, type Dispatcher, type Response } from 'undici';
import { createPublicLookup, isPublicHost, type Resolve } from './public-host.ts';

/** The names and connections outside of this server; a test leads them to itself. */
export interface Network {
  resolve: Resolve;
  buildConnector: typeof buildConnector;
}

export const systemNetwork: Network = {
  resolve: (hostname) => lookup(hostname, { all: true }),
  buildConnector,
};

export interface ConnectionRules {
  /**
   * `internet`: a connection goes to an address that was looked up and checked, so none goes into the network
   * of this server. `anywhere`: for addresses that the owner has set.
   */
  reach: 'internet' | 'anywhere';
  connectMs?: number;
  /** The longest time without a byte. */
  silenceMs?: number;
  maxHeaderBytes?: number;
  /** As received: an answer of empty compressed blocks has no length after decompression. */
  maxReceivedBytes?: number;
}

interface Asked {
  headers: Record<string, string>;
  signal: AbortSignal;
}

export interface Connections {
  /** One request as a browser makes it, its answer decompressed. Judge the host of the URL first. */
  fetch(url: URL, asked: Asked): Promise<Response>;
  /**
   * One request as it is given. Throws a `TypeError` for what is not https at a public host, where only the
   * internet is reached.
   */
  send(
    url: URL,
    asked: Asked & { method?: 'GET' | 'POST'; body?: Uint8Array },
  ): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

/** The name and password of a URL as a header. */
const credentialsOf = ({ username, password }: URL): Record<string, string> => {
  if (username === '' && password === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
};

/**
 * Connections to other hosts: no proxy, no cookies, no redirect. Each is used once, so a later request looks
 * its name up again.
 */
export const createConnections = (network: Network, rules: ConnectionRules): Connections => {
  const { reach, connectMs, silenceMs, maxHeaderBytes, maxReceivedBytes } = rules;
  const dispatcher = new Agent({
    connect: network.buildConnector({
      ...(connectMs !== undefined && { timeout: connectMs }),
      ...(reach === 'internet' && { lookup: createPublicLookup(network.resolve) }),
    }),
    ...(silenceMs !== undefined && { headersTimeout: silenceMs, bodyTimeout: silenceMs }),
    ...(maxHeaderBytes !== undefined && { maxHeaderSize: maxHeaderBytes }),
    ...(maxReceivedBytes !== undefined && { maxResponseSize: maxReceivedBytes }),
    pipelining: 0,
  });
  return {
    fetch: (url, asked) =>
      fetch(url, {
        ...asked,
        dispatcher,
        redirect: 'manual',
        credentials: 'omit',
        referrerPolicy: 'no-referrer',
      }),
    send: async (url, { method = 'GET', headers, ...asked }) => {
      // An IP address is not looked up.
      if (reach === 'internet' && (url.protocol !== 'https:' || !isPublicHost(url.hostname)))
        throw new TypeError('The address is not public');
      return request(url, { ...asked, method, headers: { ...credentialsOf(url), ...headers }, dispatcher });
    },
    close: () => dispatcher.destroy(),
  };
};
