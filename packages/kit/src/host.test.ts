import { expect, it } from 'vitest';
import { hostOf, isSubdomain, meantHostOf } from './host.ts';

it.each([
  ['Example.ORG', { name: 'example.org', port: '' }],
  ['https://example.org:443/a', { name: 'example.org', port: '' }],
  ['example.org:8080', { name: 'example.org', port: '8080' }],
  ['example.org.', { name: 'example.org', port: '' }],
  ['example.org..', null],
  ['münchen.example', { name: 'xn--mnchen-3ya.example', port: '' }],
  ['[::1]:80', { name: '[::1]', port: '80' }],
  ['a b', null],
])('reads %s as a browser does', (text, host) => {
  expect(hostOf(text)).toEqual(host);
});

it('ignores any number of final dots where a denial is meant', () => {
  expect(meantHostOf('example.org...')).toEqual({ name: 'example.org', port: '' });
});

it('compares subdomains label by label', () => {
  expect([isSubdomain('a.b.org', 'b.org'), isSubdomain('ab.org', 'b.org'), isSubdomain('b.org', '')]).toEqual(
    [true, false, false],
  );
});
