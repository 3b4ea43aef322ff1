import type { Call, RunInput } from '@drawbridge/contracts/calls';
import { TRPCError } from '@trpc/server';
import { afterEach, expect, it } from 'vitest';
import { startFixture } from '../../../test/fixture-server.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { callOf, worldOf } from '../../../test/worlds.ts';
import { useCallsStore } from '../calls/use-calls-store.ts';
import { useRunsStore } from './use-runs-store.ts';

let bench: Bench;
afterEach(() => bench.close());

/** A call under the id that the panel has given it. */
type Own = (change?: Partial<Call>) => Call;

const start = async (tool: string, answer: (own: Own, input: RunInput) => Promise<Call>) => {
  const made = Promise.withResolvers<Own>();
  bench = await setBench({
    run: (input) => {
      const own: Own = (change) => callOf({ requestId: input.requestId ?? 'unnamed', tool, ...change });
      made.resolve(own);
      return answer(own, input);
    },
  });
  return { run: useRunsStore().of('m1', tool), calls: useCallsStore(), made: made.promise };
};
const until = async (there: () => boolean) => {
  while (!there()) await bench.clock.settle();
};

it('gives the result of a call that ends at once', async () => {
  const { run, made } = await start('read_file', async (own, { arguments: args }) =>
    own({ arguments: args }),
  );
  const going = run.run({ path: 'a.txt' });
  expect(run.busy.value).toBe(true);
  await going;
  expect([run.busy.value, run.done.value, run.failure.value]).toEqual([
    false,
    (await made)({ arguments: { path: 'a.txt' } }),
    null,
  ]);
});

it('waits with a call that waits for an answer, and fetches its result when it has ended', async () => {
  const waiting = { state: 'awaiting-confirmation', result: null } as const;
  const { run, calls, made } = await start('write_file', async (own) => own(waiting));
  await run.run({});
  const own = await made;
  calls.onCall({ type: 'call', call: own(waiting) });
  expect([run.busy.value, run.done.value, run.summary.value?.state]).toEqual([
    true,
    null,
    'awaiting-confirmation',
  ]);
  bench.fixture.world.calls = [own()];
  calls.onCall({ type: 'call', call: own() });
  await until(() => !run.busy.value);
  expect(run.done.value).toEqual(own());
});

it('shows the progress of a call before its request is answered, and cancels it by its id', async () => {
  const answered = Promise.withResolvers<Call>();
  const { run, calls, made } = await start('shell_execute', () => answered.promise);
  const going = run.run({});
  const own = await made;
  const running = own({ state: 'delivered', result: null });
  // Of another window, at the same time.
  calls.onCall({ type: 'call', call: { ...running, requestId: 'r2' } });
  calls.onCall({ type: 'call', call: running });
  await bench.clock.settle();
  calls.onCall({ type: 'progress', requestId: running.requestId, output: 'one\n' });
  expect(run.progress.value).toMatchObject({ output: { parts: [{ text: 'one\n' }] } });

  const cancelled = own({ state: 'cancelled', result: null });
  bench.fixture.world.calls = [cancelled];
  await run.cancel();
  answered.resolve(cancelled);
  await going;
  await until(() => !run.busy.value);
  expect([run.done.value, run.failure.value]).toEqual([cancelled, null]);
});

it('says why a call was refused', async () => {
  const cause = new Error('no');
  cause.name = 'NOT_CONNECTED';
  const { run } = await start('read_file', () =>
    Promise.reject(
      new TRPCError({ code: 'SERVICE_UNAVAILABLE', message: 'Local gateway is not connected', cause }),
    ),
  );
  await run.run({});
  expect([run.busy.value, run.failure.value]).toEqual([
    false,
    { code: 'NOT_CONNECTED', message: 'Local gateway is not connected', fix: null },
  ]);
});

it('follows a call on when the server went away under its request, and fetches its result', async () => {
  const { run, calls, made } = await start('shell_execute', () => new Promise(() => {}));
  const going = run.run({});
  const own = await made;
  const running = own({ state: 'delivered', result: null });
  const { requestId } = running;
  calls.onCall({ type: 'call', call: running });
  calls.onCall({ type: 'progress', requestId, output: 'one\n' });
  await bench.clock.settle();
  const { port } = new URL(bench.fixture.origin);
  await bench.fixture.close();
  await going;
  expect([run.busy.value, run.failure.value]).toEqual([true, null]);

  const ended = own();
  const again = await startFixture(worldOf({ calls: [ended] }), { port: Number(port) });
  calls.onCall({ type: 'progress', requestId, output: 'two\n' });
  expect(run.progress.value).toMatchObject({ output: { parts: [{ text: 'one\ntwo\n' }] } });
  calls.onCall({ type: 'call', call: ended });
  await until(() => !run.busy.value);
  expect([run.done.value, run.failure.value]).toEqual([ended, null]);
  await again.close();
});

it('reports a lost connection when the call is unknown', async () => {
  const { run } = await start('read_file', () => new Promise(() => {}));
  const going = run.run({});
  await bench.clock.settle();
  await bench.fixture.close();
  await going;
  expect([run.busy.value, run.failure.value?.code]).toEqual([false, 'UNREACHABLE']);
});

it('is found again when the page was left, also while it runs', async () => {
  const answered = Promise.withResolvers<Call>();
  const { run, made } = await start('read_file', () => answered.promise);
  const going = run.run({});
  const runs = useRunsStore();
  for (let at = 0; at < 20; at += 1) runs.of('m1', `tool_${at}`);
  expect(runs.of('m1', 'read_file').busy.value).toBe(true);
  const call = (await made)();
  answered.resolve(call);
  await going;
  expect(runs.of('m1', 'read_file').done.value).toEqual(call);
  for (let at = 0; at < 20; at += 1) runs.of('m1', `tool_${at}`);
  expect(runs.of('m1', 'read_file').done.value).toBe(null);
});
