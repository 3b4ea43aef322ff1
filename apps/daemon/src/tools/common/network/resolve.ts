import { lookup } from 'node:dns/promises';
import { canonicalAddress } from './address.ts';

export type Resolve = (hostname: string) => Promise<string[]>;

const resolveByTheSystem: Resolve = async (hostname) =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);

/** Canonical addresses of a host; none where it cannot be resolved. */
export const addressesOf = async (
  hostname: string,
  resolve: Resolve = resolveByTheSystem,
): Promise<string[]> => {
  const literal = canonicalAddress(hostname);
  if (literal !== undefined) return [literal];
  return (await resolve(hostname).catch(() => [])).flatMap((address) => canonicalAddress(address) ?? []);
};
