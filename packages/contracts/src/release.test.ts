import { expect, it } from 'vitest';
import { compareReleases, packedPath, release, releaseName, type Release } from './release.ts';

const [a, b] = ['0123456789ab', 'ba9876543210'];

it.each<[string, Release, Release, string]>([
  ['the same build', { version: '0.1.0', build: a }, { version: '0.1.0', build: a }, 'same'],
  ['another build', { version: '0.1.0', build: a }, { version: '0.1.0', build: b }, 'newer'],
  ['an unknown build', { version: '0.1.0' }, { version: '0.1.0', build: b }, 'same'],
  ['a higher version', { version: '0.9.0', build: a }, { version: '0.10.0', build: b }, 'newer'],
  ['a lower version', { version: '1.0.0', build: a }, { version: '0.99.99', build: b }, 'older'],
  ['a version before its release', { version: '1.0.0-rc.1' }, { version: '1.0.0' }, 'newer'],
])('%s', (_name, own, offered, expected) => expect(compareReleases(own, offered)).toBe(expected));

it('names a release', () => {
  expect([releaseName({ version: '0.1.0' }), packedPath({ version: '0.1.0', build: a })]).toEqual([
    '0.1.0',
    '/daemon-0.1.0-0123456789ab.tgz',
  ]);
});

it.each([['../../etc'], ['1.0.0/..'], ['1.0.0-\u001b[31m'], ['']])('%j is no version', (version) =>
  expect(release.safeParse({ version }).success).toBe(false),
);
