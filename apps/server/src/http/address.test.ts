import { describe, expect, it } from 'vitest';
import { createAddress, isLoopback } from './address.ts';

const local = { host: '127.0.0.1', port: 5820, publicUrl: undefined };
const open = { host: '0.0.0.0', port: 5820, publicUrl: undefined };
const published = { host: '0.0.0.0', port: 5820, publicUrl: 'https://bridge.example.org' };

describe('the address of the server', () => {
  it.each([
    ['its own', local, 'http://127.0.0.1:5820'],
    ['a name for a wildcard', open, 'http://localhost:5820'],
    ['an IPv6 address in brackets', { ...local, host: '::1' }, 'http://[::1]:5820'],
    ['the public one', published, 'https://bridge.example.org'],
  ])('is %s', (_, config, url) => {
    expect(createAddress(config).url()).toBe(url);
  });

  it('uses the port that the system assigned', () => {
    const address = createAddress({ ...local, port: 0 });
    address.listening(40_123);
    expect([address.url(), address.ownsHost('localhost:40123'), address.ownsHost('localhost:0')]).toEqual([
      'http://127.0.0.1:40123',
      true,
      false,
    ]);
  });

  it('has a second port, and links of the first', () => {
    const address = createAddress(local);
    expect(address.ownsHost('localhost:18800')).toBe(false);
    address.listening(5820, 18_800);
    expect([address.url(), address.ownsHost('localhost:18800')]).toEqual(['http://127.0.0.1:5820', true]);
    expect([address.ownsOrigin('http://localhost:18800'), address.ownsHost('evil.example:18800')]).toEqual([
      true,
      false,
    ]);
  });

  it.each([
    ['localhost:5820', local, true],
    ['127.0.0.1:5820', local, true],
    ['[::1]:5820', local, true],
    ['LOCALHOST:5820', local, true],
    ['localhost:5821', local, false],
    ['localhost', local, false],
    ['localhost', { ...local, port: 80 }, true],
    ['evil.example:5820', local, false],
    ['127.0.0.1.evil.example:5820', local, false],
    ['localhost.evil.example:5820', local, false],
    ['localhost:5820.evil.example', local, false],
    ['192.168.1.5:5820', open, true],
    ['[fd00::5]:5820', open, true],
    ['evil.example:5820', open, false],
    ['bridge.example.org', published, true],
    ['bridge.example.org:443', published, false],
    ['127.0.0.1:5820', published, true],
    ['192.168.1.5:5820', published, false],
    ['evil.example', published, false],
    ['', published, false],
  ])('knows whether Host %s is its own', (host, config, own) => {
    expect(createAddress(config).ownsHost(host)).toBe(own);
  });

  it.each([
    ['http://localhost:5820', local, true],
    ['https://localhost:5820', local, false],
    ['http://localhost:3000', local, false],
    ['null', local, false],
    ['file://', local, false],
    ['https://bridge.example.org', published, true],
    ['http://bridge.example.org', published, false],
    ['https://bridge.example.org.evil.example', published, false],
    ['https://evil.example', published, false],
  ])('knows whether Origin %s is its own', (origin, config, own) => {
    expect(createAddress(config).ownsOrigin(origin)).toBe(own);
  });

  it.each([
    ['127.0.0.1', true],
    ['127.8.9.10', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['127.evil.com', false],
    ['10.0.0.1', false],
  ])('knows whether %s is loopback', (host, expected) => {
    expect(isLoopback(host)).toBe(expected);
  });
});
