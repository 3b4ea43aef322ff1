import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { errors } from '../errors.ts';
import type { Address } from './address.ts';

const ownSites = new Set(['same-origin', 'none']);

/** Each foreign address is logged once, and no more than these: anybody can send such requests. */
const addressesLogged = 10;
const shownLength = 200;

/** Logs the address of a refused page: behind a proxy it may be the server's own, without `PUBLIC_URL`. */
const createForeignLog = (address: Address) => {
  const logged = new Set<string>();
  return ({ headers, log }: FastifyRequest) => {
    if (headers['sec-fetch-site'] === 'cross-site') return;
    const from = (headers.origin ?? headers.host ?? '').slice(0, shownLength);
    if (from === '' || logged.has(from) || logged.size >= addressesLogged) return;
    logged.add(from);
    log.warn(
      { from, expected: address.url() },
      'Refused a page at another address. If that is the address of this server, set PUBLIC_URL to it',
    );
  };
};

/**
 * Refuses another site's request with this user's cookie: a foreign `Origin`, `Sec-Fetch-Site` or `Host`. A
 * request with neither of the first two, which no browser sends, passes.
 */
export const createOriginGuard = (address: Address) => {
  const logForeign = createForeignLog(address);
  const isOwn = ({ headers }: FastifyRequest): boolean => {
    const { origin, host } = headers;
    const site = headers['sec-fetch-site'];
    if (origin !== undefined && !address.ownsOrigin(origin)) return false;
    if (site !== undefined && !ownSites.has(String(site))) return false;
    return host !== undefined && address.ownsHost(host);
  };
  return async (request: FastifyRequest): Promise<void> => {
    if (isOwn(request)) return;
    logForeign(request);
    throw errors.foreignOrigin();
  };
};

/** Refuses whatever a browser sends on behalf of a page: a daemon is no page. */
export const refuseBrowsers: onRequestHookHandler = ({ headers }, _reply, done) => {
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  done(isBrowser ? errors.foreignOrigin() : undefined);
};

/** Refuses pages, and every `Host` without one of these names: for a port that no page uses. */
export const createHostGuard =
  (names: ReadonlySet<string>) =>
  async ({ headers }: FastifyRequest): Promise<void> => {
    const name = headers.host?.toLowerCase().replace(/:\d+$/, '');
    const isPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
    if (isPage || name === undefined || !names.has(name)) throw errors.foreignOrigin();
  };

/** The cookies of a request, and the proof of its session that goes beside them. */
export const credentialsOf = ({
  headers,
}: FastifyRequest): { cookie: string | undefined; proof: string | undefined } => {
  const proof = headers[sessionProofHeader];
  return { cookie: headers.cookie, proof: typeof proof === 'string' ? proof : undefined };
};

/** RFC 6750: one token, of these characters. */
const bearer = /^Bearer +(?<token>[A-Za-z0-9\-._~+/]{1,4096}=*)$/i;

/** The token of a request, or null. Only the header counts: a token in a URL would be logged. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  bearer.exec(headers.authorization ?? '')?.groups?.token ?? null;
