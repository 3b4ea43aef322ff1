import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Azure's service for machines, at an address that looks public. */
const azureService = '168.63.129.16';
/** The block from which all public IPv6 addresses are assigned so far. */
const globalIPv6 = ipaddr.parseCIDR('2000::/3');

const localName = /(^|\.)(localhost|local|internal)$/;

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6): boolean => {
  if (address instanceof ipaddr.IPv4)
    return address.range() === 'unicast' && address.toString() !== azureService;
  if (address.isIPv4MappedAddress()) return isPublic(address.toIPv4Address());
  return address.range() === 'unicast' && address.match(globalIPv6);
};

/** Whether an IP address belongs to the internet. False for what is no address. */
const isPublicAddress = (address: string): boolean =>
  ipaddr.isValid(address) && isPublic(ipaddr.parse(address));

/**
 * Whether the host of a parsed URL may be on the internet. The addresses of a name are judged later, when
 * they are known.
 */
export const isPublicHost = (hostname: string): boolean => {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(name)) return isPublicAddress(name);
  const labels = name.split('.');
  return name.length <= 253 && labels.length > 1 && !labels.includes('') && !localName.test(name);
};

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

/**
 * The look-up of a connection: it fails when one of the addresses is not public, so the connection goes to an
 * address that was checked. Literal addresses are not looked up; `isPublicHost` judges them.
 */
export const createPublicLookup = (resolve: Resolve): LookupFunction => {
  const notPublic = () => new TypeError('The address is not public');
  return (hostname, { all }, done) => {
    const found = (addresses: LookupAddress[]) => {
      const [first] = addresses;
      if (!first || !addresses.every(({ address }) => isPublicAddress(address))) return done(notPublic(), []);
      return all === true ? done(null, addresses) : done(null, first.address, first.family);
    };
    resolve(hostname).then(found, (error: NodeJS.ErrnoException) => done(error, []));
  };
};
