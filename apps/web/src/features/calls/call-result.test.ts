import type { Call } from '@drawbridge/contracts/calls';
import { errorTable } from '@drawbridge/contracts/errors';
import { mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { callOf } from '../../../test/worlds.ts';
import CallResult from './call-result.vue';
import { useCallsStore } from './use-calls-store.ts';

let bench: Bench;
afterEach(() => bench.close());

const errorOf = ({ code, message }: { code: string; message: string }) => ({ code, message });
const show = async (change: Partial<Call>, printed = '') => {
  bench = await setBench();
  const call = callOf({ result: null, ...change });
  const store = useCallsStore();
  if (printed !== '') store.onCall({ type: 'progress', requestId: call.requestId, output: printed });
  store.onCall({ type: 'call', call });
  return mount(CallResult, { props: { call }, global: bench.global });
};

it.each<[string, Partial<Call>, string]>([
  ['lost', { state: 'lost', started: null, error: errorOf(errorTable.lost) }, 'It may have run'],
  [
    'lost, with an answer of the machine',
    { state: 'lost', result: { content: [], isError: true } },
    'It may have run',
  ],
  [
    'cancelled before',
    { state: 'cancelled', started: false, error: errorOf(errorTable.cancelled) },
    'Cancelled before it started',
  ],
  [
    'cancelled after',
    { state: 'cancelled', started: true, error: errorOf(errorTable.cancelled) },
    'Stopped after 20 ms',
  ],
  [
    'timed out',
    { state: 'timed-out', started: null, error: errorOf(errorTable.timedOut) },
    'Timed out. It may have run',
  ],
  [
    'store',
    { state: 'failed', started: false, error: errorOf(errorTable.storeUnavailable) },
    'The server cannot write to its store',
  ],
  [
    'store, with what to do',
    { state: 'failed', started: false, error: errorOf(errorTable.storeUnavailable) },
    'Free space on its disk',
  ],
  [
    'denied',
    { state: 'denied', started: false, error: errorOf(errorTable.denied) },
    'Access denied by the user',
  ],
  ['nothing', {}, 'No result.'],
])('says it in words: %s', async (_name, change, text) => {
  expect((await show(change)).text()).toContain(text);
});

it('says of a call that may have run what to do', async () => {
  const wrapper = await show({ state: 'lost', started: null });
  expect(wrapper.find('[data-test=outcome]').text()).toBe(
    'It may have run' + 'Check the machine before you try again.',
  );
});

it('says after how long a call was stopped, and how much it had printed', async () => {
  const stopped = { state: 'cancelled', started: true, durationMs: 10_900 } as const;
  const wrapper = await show(stopped, 'one\ntwo\n');
  expect(wrapper.find('[data-test=outcome]').text()).toBe(
    'Stopped after 10.9 s' + 'It had printed 2 lines. Changes made before that are kept.',
  );
});

it('shows what was printed before the call was lost', async () => {
  const wrapper = await show({ state: 'lost' }, 'one\ntwo\n');
  expect(wrapper.find('[data-test=output]').text()).toBe('one\ntwo');
});

it('shows the result alone where there is one', async () => {
  const wrapper = await show(
    { state: 'failed', result: { content: [{ type: 'text', text: 'no' }] } },
    'one\n',
  );
  expect([wrapper.find('[data-test=output]').exists(), wrapper.find('[data-test=result]').text()]).toEqual([
    false,
    expect.stringContaining('no'),
  ]);
});

it('NG-20: says what a command changed that other programs run', async () => {
  const changed = { paths: ['package.json', '.github/workflows/ci.yml'], count: 5 };
  const wrapper = await show({
    state: 'succeeded',
    result: { content: [], _meta: { 'drawbridge/changedRunFiles': changed } },
  });
  expect(wrapper.find('[data-test=changed-run-files]').text()).toBe(
    'Changed what other programs run: package.json, .github/workflows/ci.yml, and 3 more',
  );
  expect((await show({})).find('[data-test=changed-run-files]').exists()).toBe(false);
});
