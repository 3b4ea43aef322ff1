import type { WebHost } from '../network/host.ts';
import { addressesOf, type Resolve } from '../network/resolve.ts';
import { Refused, type Failure } from './refusal.ts';

export interface Admission {
  /** Asked before a name is looked up, which alone tells a name server something. */
  mayResolve?(place: WebHost): Promise<Failure | null>;
  /** Asked with all addresses of a place. */
  mayConnect(place: WebHost, addresses: readonly string[]): Promise<Failure | null>;
  resolve?: Resolve | undefined;
}

/** The checked addresses of a place. Throws `Refused`. */
export const admit = async (
  { mayResolve, mayConnect, resolve }: Admission,
  place: WebHost,
  known?: readonly string[],
): Promise<readonly string[]> => {
  const before = (await mayResolve?.(place)) ?? null;
  if (before !== null) throw new Refused(before);
  const addresses = known ?? (await addressesOf(place.hostname, resolve));
  const reason = await mayConnect(place, addresses);
  if (reason !== null) throw new Refused(reason);
  return addresses;
};
