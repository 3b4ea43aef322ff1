import { expect, it } from 'vitest';
import { pageHostOf } from './host.ts';
import { createOwnServer } from './own-server.ts';

const own = new Set(['127.0.0.1', '::1', '192.168.1.5']);
const isHost = (server: { url: string; addresses: string[] }, url: string) => {
  const place = pageHostOf(url);
  return place && createOwnServer({ ...server, own }).isHost(place);
};
const here = { url: 'http://127.0.0.1:5820', addresses: ['127.0.0.1'] };
const atHome = { url: 'http://bridge.lan:5820', addresses: ['192.168.1.9'] };
const away = { url: 'https://bridge.example.org', addresses: ['93.184.216.34'] };

it.each([
  [away, 'https://bridge.example.org/', true],
  [away, 'http://bridge.example.org:8080/', true],
  [away, 'https://BRIDGE.example.org./panel', true],
  [away, 'https://other.example.org/', false],
  [atHome, 'http://bridge.lan:5820', true],
  [atHome, 'http://bridge.lan:3000', false],
  [here, 'http://127.0.0.1:5820', true],
  [here, 'http://127.0.0.1:3000', false],
])('BR-03 by name: %o, %s', (server, url, expected) => {
  expect(isHost(server, url)).toBe(expected);
});

it.each([
  [here, '127.0.0.1', 5820, true],
  [here, '::ffff:127.0.0.1', 5820, true],
  [here, '127.9.9.9', 5820, true],
  [here, '::1', 5820, true],
  [here, '0.0.0.0', 5820, true],
  [here, '192.168.1.5', 5820, true],
  [here, '192.168.1.6', 5820, false],
  [here, '127.0.0.1', 3000, false],
  [atHome, '192.168.1.9', 5820, true],
  [atHome, '192.168.1.9', 80, false],
  // Many sites share a public address.
  [away, '93.184.216.34', 443, false],
])('BR-02, BR-03 by address: %o, %s port %i', (server, address, port, expected) => {
  expect(createOwnServer({ ...server, own }).isAddress(address, port)).toBe(expected);
});
