import type { FastifyRequest, onRequestHookHandler } from 'fastify';
import { errors } from '../errors.ts';
import type { Address } from './address.ts';

const ownSites = new Set(['same-origin', 'none']);

/**
 * Refuses another site's request with this user's cookie: a foreign `Origin`, `Sec-Fetch-Site` or `Host`. A
 * request with neither of the first two, which no browser sends, passes.
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

/** Refuses pages, and every `Host` without one of these names: for a port that no page uses. */
export const createHostGuard =
  (names: ReadonlySet<string>) =>
  async ({ headers }: FastifyRequest): Promise<void> => {
    const name = headers.host?.toLowerCase().replace(/:\d+$/, '');
    const isPage = headers.origin !== undefined || headers['sec-fetch-site'] !== undefined;
    if (isPage || name === undefined || !names.has(name)) throw errors.foreignOrigin();
  };
