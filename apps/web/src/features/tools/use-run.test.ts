import { TRPCError } from '@trpc/server';
import { afterEach, expect, it } from 'vitest';
import { effectScope } from 'vue';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { callOf } from '../../../test/worlds.ts';
import { useCallsStore } from '../activity/use-calls-store.ts';
import { useRun } from './use-run.ts';

let bench: Bench;
const scope = effectScope(true);
afterEach(() => bench.close());

const start = async (change: Parameters<typeof setBench>[0]) => {
  bench = await setBench(change);
  const run = bench.app.runWithContext(() => scope.run(useRun));
  if (!run) throw new Error('The scope has ended');
  return { run, calls: useCallsStore() };
};
const until = async (there: () => boolean) => {
  while (!there()) await bench.clock.settle();
};

it('gives the result of a call that ends at once', async () => {
  const { run } = await start({ run: async (input) => callOf({ arguments: input.arguments }) });
  const going = run.run('read_file', { path: 'a.txt' });
  expect(run.busy.value).toBe(true);
  await going;
  expect([run.busy.value, run.done.value, run.failure.value]).toEqual([
    false,
    callOf({ arguments: { path: 'a.txt' } }),
    null,
  ]);
});

it('waits with a call that waits for an answer, and fetches its result when it has ended', async () => {
  const waiting = callOf({ state: 'awaiting-confirmation', result: null });
  const { run, calls } = await start({ run: async () => waiting });
  calls.onCall({ type: 'call', call: waiting });
  await run.run('write_file', {});
  expect([run.busy.value, run.done.value, run.summary.value?.state]).toEqual([
    true,
    null,
    'awaiting-confirmation',
  ]);
  bench.fixture.world.calls = [callOf()];
  calls.onCall({ type: 'call', call: callOf() });
  await until(() => !run.busy.value);
  expect(run.done.value).toEqual(callOf());
});

it('shows the progress of a call before the server has named it, and cancels it by its id', async () => {
  let answer = (_call: ReturnType<typeof callOf>) => {};
  const { run, calls } = await start({ run: () => new Promise((resolve) => (answer = resolve)) });
  const going = run.run('shell_execute', {});
  const running = callOf({ tool: 'shell_execute', state: 'delivered', result: null });
  calls.onCall({ type: 'call', call: running });
  await bench.clock.settle();
  calls.onCall({ type: 'progress', requestId: 'r1', output: 'one\n' });
  expect(run.progress.value).toEqual({ output: 'one\n' });

  const cancelled = callOf({ tool: 'shell_execute', state: 'cancelled', result: null });
  bench.fixture.world.calls = [cancelled];
  await run.cancel();
  answer(cancelled);
  await going;
  await until(() => !run.busy.value);
  expect([run.done.value, run.failure.value]).toEqual([cancelled, null]);
});

it('says why a call was refused', async () => {
  const cause = new Error('no');
  cause.name = 'NOT_CONNECTED';
  const { run } = await start({
    run: () =>
      Promise.reject(
        new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'Local gateway is not connected', cause }),
      ),
  });
  await run.run('read_file', {});
  expect([run.busy.value, run.failure.value]).toEqual([
    false,
    { code: 'NOT_CONNECTED', message: 'Local gateway is not connected', fix: null },
  ]);
});
