import { describe, expect, it } from 'vitest';
import { parseServerUrl, showUrl } from './server-url.ts';

describe('the address of the server', () => {
  it.each([
    ['https://bridge.example.org', 'https://bridge.example.org'],
    ['https://bridge.example.org/sub/', 'https://bridge.example.org/sub'],
    ['http://localhost:5820', 'http://localhost:5820'],
    ['http://127.0.0.1:5820/', 'http://127.0.0.1:5820'],
    ['http://127.8.9.1', 'http://127.8.9.1'],
    ['http://2130706433', 'http://127.0.0.1'],
    ['http://[::1]:5820', 'http://[::1]:5820'],
    ['https://раypal.com', 'https://xn--ypal-43d9g.com'],
  ])('takes %s and shows %s', (text, shown) => {
    expect(showUrl(parseServerUrl(text, { allowInsecureHttp: false }))).toBe(shown);
  });

  const plain = 'http:// to another machine';
  it.each([
    ['http://bridge.example.org', plain],
    ['http://192.168.1.5:5820', plain],
    ['http://127.evil.com', plain],
    ['http://localhost.evil.com', plain],
    ['http://0.0.0.0:5820', plain],
    ['http://localhost.:5820', 'must not end in a dot'],
    ['https://bridge.example.org.', 'must not end in a dot'],
    ['https://user:pw@bridge.example.org', 'user name or a password'],
    ['https://bridge.example.org@evil.com', 'user name or a password'],
    ['https://bridge.example.org/#x', 'query or a fragment'],
    ['https://bridge.example.org/?apiKey=1', 'query or a fragment'],
    ['javascript:alert(1)', 'must begin with'],
    ['file:///etc/passwd', 'must begin with'],
    ['ftp://bridge.example.org', 'must begin with'],
    ['--auto-confirm', 'Not an address'],
    ['bridge.example.org', 'Not an address'],
  ])('refuses %s: %s', (text, reason) => {
    expect(() => parseServerUrl(text, { allowInsecureHttp: false })).toThrow(reason);
  });

  it('takes http:// to another machine when the person says so, and nothing more', () => {
    expect(parseServerUrl('http://192.168.1.5:5820', { allowInsecureHttp: true }).host).toBe(
      '192.168.1.5:5820',
    );
    expect(() => parseServerUrl('http://u@192.168.1.5', { allowInsecureHttp: true })).toThrow('user name');
  });
});
