import { describe, expect, it } from 'vitest';
import { isNever, looksLocal, pageHostOf, type WebHost } from '../../common/network/host.ts';
import { parseTyped, toHostResource } from './host.ts';

const place = (text: string): WebHost => {
  const found = pageHostOf(text);
  if (!found) throw new Error(`no host: ${text}`);
  return found;
};

describe('BR-01, SS-07: what is never opened', () => {
  it.each([
    'file:///etc/passwd',
    'chrome://settings',
    'about:config',
    'view-source:https://example.com',
    'data:text/html,<h1>x',
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    'blob:https://example.com/1',
    'filesystem:https://example.com/x',
    'devtools://devtools/bundled/inspector.html',
    'chrome-extension://abc/page.html',
    'ftp://example.com',
    'gopher://example.com',
    'jar:https://example.com!/x',
    'ws://example.com',
    'unix:/var/run/docker.sock',
    'http+unix://%2Fvar%2Frun/x',
    'localhost:3000',
    '',
    '   ',
    'https://',
    'https://ann:secret@example.com',
    'https://ann@example.com',
    'https://a..b.example',
    `https://${'a'.repeat(64)}.example`,
    `https://${'a.'.repeat(130)}example`,
    'https://exam\0ple.com',
    'https://exa mple.com',
    `https://example.com/${'a'.repeat(9_000)}`,
  ])('%j', (typed) => {
    expect(parseTyped(typed)).toBeUndefined();
  });
});

it.each([
  ['example.com', 'https://example.com/'],
  ['https://example.com./a', 'https://example.com/a'],
  ['HTTPS://EXAMPLE.COM/A', 'https://example.com/A'],
  ['about:blank', 'about:blank'],
  ['http:example.com', 'http://example.com/'],
  ['https://exa\tmple.com/a\nb', 'https://example.com/ab'],
  ['http://example.com\\@127.0.0.1', 'http://example.com/@127.0.0.1'],
  ['http://127.0.0.1#@example.com', 'http://127.0.0.1/#@example.com'],
  ['http:///127.0.0.1', 'http://127.0.0.1/'],
])('BR-04, SS-06 one reading of %j, for the check and for the browser', (typed, address) => {
  expect(parseTyped(typed)).toBe(address);
});

it.each([
  ['https://good.com/a?b', 'good.com'],
  ['http://good.com', 'good.com'],
  ['https://good.com:443', 'good.com'],
  ['https://good.com:8443', 'good.com:8443'],
  ['http://good.com:443', 'good.com'],
  ['wss://good.com/x', 'good.com'],
  ['https://GOOD.com.', 'good.com'],
  ['https://good.com@evil.com', 'evil.com'],
  ['https://good.com.evil.com', 'good.com.evil.com'],
  ['https://good.com\\@evil.com', 'good.com'],
  ['https://evilgood.com', 'evilgood.com'],
  ['https://gооd.com', 'xn--gd-fmca.com'],
  ['https://bücher.example', 'xn--bcher-kva.example'],
  ['http://2130706433', '127.0.0.1'],
  ['http://0x7f.1', '127.0.0.1'],
  ['http://0177.0.0.1', '127.0.0.1'],
  ['http://127.1', '127.0.0.1'],
  ['http://127.0.0.1.', '127.0.0.1'],
  ['http://①②⑦.⓪.⓪.①', '127.0.0.1'],
  ['http://127。0。0。1', '127.0.0.1'],
  ['http://127.0.0.\u00ad1', '127.0.0.1'],
  ['http://[::1]:8080', '[::1]:8080'],
  ['http://[0:0:0:0:0:ffff:7f00:1]', '[::ffff:7f00:1]'],
])('BR-04, SS-01, SS-15 the host of %s is %s and nothing else', (url, host) => {
  expect(place(url).host).toBe(host);
});

it.each([
  'http://localhost',
  'http://app.localhost:3000',
  'http://localhost.',
  'http://printer',
  'http://nas.local',
  'http://metadata.google.internal',
  'http://router.home.arpa',
  'http://127.0.0.1:5820',
  'http://[::1]',
  'http://192.168.1.1',
  'http://[::ffff:10.0.0.1]',
])('SS-03 %s needs a yes of its own', (url) => {
  expect(looksLocal(place(url))).toBe(true);
  expect(toHostResource(place(url), 'x').explicit).toBe(true);
});

it('a public name needs none', () => {
  expect(looksLocal(place('https://example.com'))).toBe(false);
  expect(toHostResource(place('https://example.com'), 'x')).toEqual({
    toolGroup: 'browser',
    resource: 'example.com',
    description: 'x',
  });
});

it('a deny rule also meets the host without its port, and an address in its usual spelling', () => {
  expect(toHostResource(place('https://example.com:8443'), 'x').aliases).toEqual(['example.com']);
  expect(toHostResource(place('http://[::ffff:7f00:1]:80'), 'x').aliases).toEqual(['127.0.0.1']);
});

it('the empty page is a thing of its own', () => {
  expect(toHostResource(null, 'x')).toEqual({
    toolGroup: 'browser',
    resource: 'about:blank',
    description: 'x',
  });
});

it.each([
  'http://169.254.169.254/latest',
  'http://0.0.0.0:5820',
  'http://[::]',
  'http://[fe80::1]',
  'http://0',
])('SS-03 %s is never opened', (url) => {
  expect(isNever(place(url))).toBe(true);
});
