import { networkInterfaces } from 'node:os';
import { canonicalAddress, classOf } from './address.ts';
import { pageHostOf, type WebHost } from './host.ts';
import { addressesOf, type Resolve } from './resolve.ts';

export const addressesOfThisMachine = (): ReadonlySet<string> =>
  new Set(
    Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .flatMap(({ address }) => canonicalAddress(address) ?? []),
  );

export interface OwnServerNeeds {
  url: string;
  addresses: readonly string[];
  own: ReadonlySet<string>;
}

/** The server of this daemon. Its panel answers questions, so its pages are never opened. */
export const createOwnServer = ({ url, addresses, own }: OwnServerNeeds) => {
  const server = pageHostOf(url);
  const known = new Set(addresses.flatMap((address) => canonicalAddress(address) ?? []));
  const reaches = [...known].map((address) => classOf(address, own));
  // Many sites share a public address; behind a private one stands this server.
  const isPrivate = reaches.length > 0 && reaches.every((reach) => reach !== 'public');
  const isHere = (address: string) => own.has(address) || /^(127\.|0\.0\.0\.0$|::1$|::$)/.test(address);
  const isOnThisMachine = [...known].some(isHere);
  return {
    /** By name, before anything is looked up. */
    isHost: (place: WebHost) =>
      server !== undefined &&
      place.hostname === server.hostname &&
      // Another port of a public name is the same server; a machine at home has other things to show.
      (!isPrivate || place.port === server.port),
    /** By the address that is about to be connected. */
    isAddress: (address: string, port: number) => {
      const canonical = canonicalAddress(address);
      if (canonical === undefined || port !== server?.port || !isPrivate) return false;
      return known.has(canonical) || (isOnThisMachine && isHere(canonical));
    },
  };
};

/** The server at this address, as names lead to it now. */
export const findOwnServer = async (url: string, own: ReadonlySet<string>, resolve?: Resolve) =>
  createOwnServer({ url, addresses: await addressesOf(new URL(url).hostname, resolve), own });

export type OwnServer = ReturnType<typeof createOwnServer>;
