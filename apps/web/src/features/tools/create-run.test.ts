import { TRPCError } from '@trpc/server';
import { afterEach, expect, it } from 'vitest';
import { startFixture } from '../../../test/fixture-server.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { callOf, worldOf } from '../../../test/worlds.ts';
import { useCallsStore } from '../calls/use-calls-store.ts';
import { useRunsStore } from './use-runs-store.ts';

let bench: Bench;
afterEach(() => bench.close());

const start = async (tool: string, change: Parameters<typeof setBench>[0]) => {
  bench = await setBench(change);
  return { run: useRunsStore().of('m1', tool), calls: useCallsStore() };
};
const until = async (there: () => boolean) => {
  while (!there()) await bench.clock.settle();
};

it('gives the result of a call that ends at once', async () => {
  const { run } = await start('read_file', { run: async (input) => callOf({ arguments: input.arguments }) });
  const going = run.run({ path: 'a.txt' });
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
  const { run, calls } = await start('write_file', { run: async () => waiting });
  calls.onCall({ type: 'call', call: waiting });
  await run.run({});
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
  const { run, calls } = await start('shell_execute', {
    run: () => new Promise((resolve) => (answer = resolve)),
  });
  const going = run.run({});
  const running = callOf({ tool: 'shell_execute', state: 'delivered', result: null });
  calls.onCall({ type: 'call', call: running });
  await bench.clock.settle();
  calls.onCall({ type: 'progress', requestId: 'r1', output: 'one\n' });
  expect(run.progress.value).toMatchObject({ output: { parts: [{ text: 'one\n' }] } });

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
  const { run } = await start('read_file', {
    run: () =>
      Promise.reject(
        new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'Local gateway is not connected', cause }),
      ),
  });
  await run.run({});
  expect([run.busy.value, run.failure.value]).toEqual([
    false,
    { code: 'NOT_CONNECTED', message: 'Local gateway is not connected', fix: null },
  ]);
});

it('follows a call on when the server went away under its request, and fetches its result', async () => {
  const { run, calls } = await start('shell_execute', { run: () => new Promise(() => {}) });
  const going = run.run({});
  const running = callOf({ tool: 'shell_execute', state: 'delivered', result: null });
  calls.onCall({ type: 'call', call: running });
  calls.onCall({ type: 'progress', requestId: 'r1', output: 'one\n' });
  await bench.clock.settle();
  const { port } = new URL(bench.fixture.origin);
  await bench.fixture.close();
  await going;
  expect([run.busy.value, run.failure.value]).toEqual([true, null]);

  const ended = callOf({ tool: 'shell_execute' });
  const again = await startFixture(worldOf({ calls: [ended] }), { port: Number(port) });
  calls.onCall({ type: 'progress', requestId: 'r1', output: 'two\n' });
  expect(run.progress.value).toMatchObject({ output: { parts: [{ text: 'one\ntwo\n' }] } });
  calls.onCall({ type: 'call', call: ended });
  await until(() => !run.busy.value);
  expect([run.done.value, run.failure.value]).toEqual([ended, null]);
  await again.close();
});

it('reports a lost connection when the call is unknown', async () => {
  const { run } = await start('read_file', { run: () => new Promise(() => {}) });
  const going = run.run({});
  await bench.clock.settle();
  await bench.fixture.close();
  await going;
  expect([run.busy.value, run.failure.value?.code]).toEqual([false, 'UNREACHABLE']);
});

it('is found again when the page was left, also while it runs', async () => {
  let answer = (_call: ReturnType<typeof callOf>) => {};
  const answered = new Promise<ReturnType<typeof callOf>>((resolve) => (answer = resolve));
  const { run } = await start('read_file', { run: () => answered });
  const going = run.run({});
  const runs = useRunsStore();
  for (let at = 0; at < 20; at += 1) runs.of('m1', `tool_${at}`);
  expect(runs.of('m1', 'read_file').busy.value).toBe(true);
  answer(callOf());
  await going;
  expect(runs.of('m1', 'read_file').done.value).toEqual(callOf());
  for (let at = 0; at < 20; at += 1) runs.of('m1', `tool_${at}`);
  expect(runs.of('m1', 'read_file').done.value).toBe(null);
});
