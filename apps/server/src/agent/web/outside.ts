import { lookup } from 'node:dns/promises';
import { buildConnector } from 'undici';
import type { Resolve } from '../../public-host.ts';

/** The names and connections outside of this server. */
export interface Outside {
  resolve: Resolve;
  buildConnector: typeof buildConnector;
}

export const systemOutside: Outside = {
  resolve: (hostname) => lookup(hostname, { all: true }),
  buildConnector,
};
