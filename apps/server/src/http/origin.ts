import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { errors } from '../errors.ts';
import type { Address } from './address.ts';

const ownSites = new Set(['same-origin', 'none']);

/**
 * Refuses what another site's page sends with this user's cookie: a foreign `Origin`, a `Sec-Fetch-Site` that is not
 * our own, or a `Host` that is not ours. A request with neither header, which no browser sends, passes.
 */
export const createOriginGuard =
  (address: Address) =>
  async (request: FastifyRequest): Promise<void> => {
    const { origin, host } = request.headers;
    const site = request.headers['sec-fetch-site'];
    if (origin !== undefined && !address.ownsOrigin(origin)) throw errors.foreignOrigin();
    if (site !== undefined && !ownSites.has(String(site))) throw errors.foreignOrigin();
    if (host === undefined || !address.ownsHost(host)) throw errors.foreignOrigin();
  };

/** Refuses whatever a browser sends on behalf of a page: a daemon is no page. */
export const refuseBrowsers: onRequestHookHandler = ({ headers }, _reply, done) => {
  const isBrowser = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
  done(isBrowser ? errors.foreignOrigin() : undefined);
};
