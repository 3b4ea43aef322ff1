import { expect, it } from 'vitest';
import { canonicalAddress, classOf, type AddressClass } from './address.ts';

const own = new Set(['203.0.113.7', '2606:4700::7']);

it.each<[AddressClass, string[]]>([
  ['public', ['93.184.216.34', '8.8.8.8', '2606:4700::1', '[2606:4700::1]', '::ffff:8.8.8.8']],
  [
    'local',
    [
      '127.0.0.1',
      '127.255.255.254',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.1.1',
      '100.64.1.1',
      '::1',
      'fc00::1',
      'fd12::1',
    ],
  ],
  ['local', ['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:7f00:1', '[::ffff:192.168.0.1]']],
])('SS-01 to SS-03 what is %s: %j', (reach, addresses) => {
  expect(addresses.map((address) => [address, classOf(address, own)])).toEqual(
    addresses.map((address) => [address, reach]),
  );
});

it.each([
  ['unspecified', ['0.0.0.0', '::', '0.1.2.3']],
  [
    'metadata services',
    [
      '169.254.169.254',
      '100.100.100.200',
      '168.63.129.16',
      '192.0.0.192',
      'fd00:ec2::254',
      'fd00:ec2:0:1::23',
      'fd20:ce::254',
      'fd00:c1::a9fe:a9fe',
      'fd00:42::42',
      'fd00:a9fe:a9fe::1',
      'fd00:100::100:200',
    ],
  ],
  ['link-local and site-local', ['169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'fec0::1']],
  ['multicast and broadcast', ['224.0.0.1', '255.255.255.255', 'ff02::1']],
  [
    'reserved and documentation',
    ['240.0.0.1', '198.18.0.1', '192.0.2.1', '2001:db8::1', '100::1', '3fff::1'],
  ],
  ['IPv4 in IPv6', ['::ffff:0:7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::', '2002:7f00:1::', '2001::']],
  ['no address', ['', 'localhost', '1.2.3.4.5', 'g::1']],
])('SS-02, SS-03, SH-49, SH-51 never: %s', (_what, addresses) => {
  expect(addresses.map((address) => [address, classOf(address, own)])).toEqual(
    addresses.map((address) => [address, 'never']),
  );
});

it('SS-02 an IPv4-compatible address is not opened as what it wraps', () => {
  expect(classOf('::127.0.0.1', own)).not.toBe('public');
  expect(classOf('::8.8.8.8', own)).not.toBe('local');
});

it('SS-03 a public address of this machine is this machine', () => {
  const all = [...own, '203.0.113.8'].map((address) => classOf(address, own));
  // 203.0.113.0/24 is for documentation, which is never opened.
  expect(all).toEqual(['never', 'local', 'never']);
});

it.each([
  ['::ffff:7f00:1', '127.0.0.1'],
  ['[::1]', '::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['example.com', undefined],
])('one spelling: %s', (address, canonical) => {
  expect(canonicalAddress(address)).toBe(canonical);
});
