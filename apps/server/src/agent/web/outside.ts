import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { buildConnector } from 'undici';

/** The names and connections outside of this server. */
export interface Outside {
  /** All addresses of a name. */
  resolve(hostname: string): Promise<LookupAddress[]>;
  buildConnector: typeof buildConnector;
}

export const systemOutside: Outside = {
  resolve: (hostname) => lookup(hostname, { all: true }),
  buildConnector,
};
