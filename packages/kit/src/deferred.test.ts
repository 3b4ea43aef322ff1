import { expect, it } from 'vitest';
import { createDeferred } from './deferred.ts';

it('is settled from outside', async () => {
  const resolved = createDeferred<number>();
  resolved.resolve(1);
  resolved.resolve(2);
  const rejected = createDeferred();
  rejected.reject(new Error('no'));
  expect(await resolved.promise).toBe(1);
  await expect(rejected.promise).rejects.toThrow('no');
});
