import ipaddr from 'ipaddr.js';

/** `local`: this machine or a private network, for an exact permission only; `never`: not opened at all. */
export type AddressClass = 'public' | 'local' | 'never';

const classOfRange: Record<string, AddressClass> = {
  unicast: 'public',
  loopback: 'local',
  private: 'local',
  uniqueLocal: 'local',
  carrierGradeNat: 'local',
};

/** Where clouds answer any process with keys; beside the link-local range, which is refused as a whole. */
const metadata = new Set(['100.100.100.200', '168.63.129.16', 'fd00:ec2::254']);

/** One spelling for each address: no zone, and IPv4 for what IPv6 wraps. Undefined for what is no address. */
export const canonicalAddress = (address: string): string | undefined => {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!ipaddr.isValid(plain)) return undefined;
  const parsed = ipaddr.parse(plain);
  const isMapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress();
  return (isMapped ? parsed.toIPv4Address() : parsed).toString();
};

/** The class of an address. `own`: canonical addresses of this machine. Unknown addresses are `never`. */
export const classOf = (address: string, own: ReadonlySet<string>): AddressClass => {
  const canonical = canonicalAddress(address);
  if (canonical === undefined || metadata.has(canonical)) return 'never';
  const addressClass = classOfRange[ipaddr.parse(canonical).range()] ?? 'never';
  return addressClass === 'public' && own.has(canonical) ? 'local' : addressClass;
};
