import { expect, it } from 'vitest';
import { readServerUrl } from './server-url.ts';

const here = 'http://localhost:5820';

it.each([
  [
    'its own address',
    { servers: [{ url: 'https://bridge.example.org/api/v1' }] },
    'https://bridge.example.org',
  ],
  ['no servers', {}, here],
  ['an empty list', { servers: [] }, here],
  ['another path', { servers: [{ url: 'https://bridge.example.org/other' }] }, here],
  ['no object', 'hello', here],
])('%s', async (_, document, url) => {
  expect(await readServerUrl(async () => Response.json(document), here)).toBe(url);
});

it('no answer', async () => {
  expect(await readServerUrl(() => Promise.reject(new TypeError('failed')), here)).toBe(here);
});
