import { expect, it } from 'vitest';
import { createQuota } from './quota.ts';

it('allows so many at once for each key, and releases one once', () => {
  const quota = createQuota(2);
  const release = quota.acquire('a');
  quota.acquire('a');
  expect(() => quota.acquire('a')).toThrow('Too many requests');
  quota.acquire('b');
  release();
  release();
  quota.acquire('a');
  expect(() => quota.acquire('a')).toThrow('Too many requests');
});
