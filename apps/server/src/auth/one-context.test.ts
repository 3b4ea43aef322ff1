import { AsyncLocalStorage } from 'node:async_hooks';
import { nextMacrotask } from '@drawbridge/kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { me, signIn } from '../../test/account.ts';
import { cookiesOf, owner, signUpOwner, startServer } from '../../test/server.ts';
import { createContexts } from './one-context.ts';

afterEach(() => vi.restoreAllMocks());

describe('contexts that share a storage', () => {
  it('are each seen by what their job does, and by nothing beside it', async () => {
    const { a, b } = createContexts(['a', 'b']);
    const seen = async () => {
      await nextMacrotask();
      return [a.getStore(), b.getStore()];
    };
    const inner = () => Promise.all([seen(), b.run(2, seen), a.run(3, seen), seen()]);
    const all = await Promise.all([a.run(1, inner), seen(), b.run(4, seen)]);
    expect(all).toEqual([
      [
        [1, undefined],
        [1, 2],
        [3, undefined],
        [1, undefined],
      ],
      [undefined, undefined],
      [undefined, 4],
    ]);
  });

  it('are off when the last job has ended, however it ended', async () => {
    const disabled = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
    const { a, b } = createContexts(['a', 'b']);
    const fails = () => Promise.reject(new Error('on purpose'));
    const first = a.run(1, () => b.run(2, fails)).catch(() => {});
    const second = a.run(1, nextMacrotask);
    await first;
    expect(disabled).not.toHaveBeenCalled();
    await second;
    expect(disabled).toHaveBeenCalledTimes(1);
    expect(() =>
      a.run(1, () => {
        throw new Error('at once');
      }),
    ).toThrow('at once');
    expect(a.run(1, () => a.getStore())).toBe(1);
    expect(disabled).toHaveBeenCalledTimes(3);
  });
});

it('better-auth uses them, and no storage of its own', async () => {
  const used = new Set<unknown>();
  const run = AsyncLocalStorage.prototype.run;
  vi.spyOn(AsyncLocalStorage.prototype, 'run').mockImplementation(function (this: unknown, ...given) {
    used.add(this);
    return Reflect.apply(run, this, given);
  });
  const server = await startServer();
  await signUpOwner(server);
  const cookie = cookiesOf(await signIn(server, owner));
  expect(await me(server, cookie)).toMatchObject({ email: owner.email });
  expect(used.size).toBe(1);
});
