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
const metadata = new Set([
  '100.100.100.200',
  '168.63.129.16',
  'fd00:42::42',
  'fd00:100::100:200',
  'fd00:a9fe:a9fe::1',
  'fd00:c1::a9fe:a9fe',
  'fd20:ce::254',
]);
const metadataNetworks = [ipaddr.parseCIDR('fd00:ec2::/32')];

type Address = ipaddr.IPv4 | ipaddr.IPv6;

const isMetadata = (parsed: Address): boolean =>
  metadata.has(parsed.toString()) ||
  metadataNetworks.some(([network, bits]) => parsed.kind() === network.kind() && parsed.match(network, bits));

/** Without a zone, and IPv4 for what IPv6 wraps. */
const parse = (address: string): Address | undefined => {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!ipaddr.isValid(plain)) return undefined;
  const parsed = ipaddr.parse(plain);
  return parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
};

/** One spelling for each address. Undefined for what is no address. */
export const canonicalAddress = (address: string): string | undefined => parse(address)?.toString();

/** The class of an address. `own`: canonical addresses of this machine. Unknown addresses are `never`. */
export const classOf = (address: string, own: ReadonlySet<string>): AddressClass => {
  const parsed = parse(address);
  if (parsed === undefined || isMetadata(parsed)) return 'never';
  const addressClass = classOfRange[parsed.range()] ?? 'never';
  return addressClass === 'public' && own.has(parsed.toString()) ? 'local' : addressClass;
};
