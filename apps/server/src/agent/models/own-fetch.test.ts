import { expect, it } from 'vitest';
import { createOwnFetch } from './own-fetch.ts';

it.each(['http://127.0.0.1:2/v1', 'https://127.0.0.1:1/v1', 'http://localhost:1/v1'])(
  'asks no other origin, such as %s',
  async (url) => {
    const ownFetch = createOwnFetch('http://127.0.0.1:1');
    await expect(ownFetch(url)).rejects.toMatchObject({ name: 'ModelError', kind: 'request' });
    await expect(ownFetch(new Request(url))).rejects.toMatchObject({ kind: 'request' });
  },
);
