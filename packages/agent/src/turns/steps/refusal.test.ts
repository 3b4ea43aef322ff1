import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rowsStore } from '../../../test/rows-store.ts';
import { toolCallRow } from '../../../test/rows.ts';
import type { ToolCallRow } from '../../rows/rows.ts';
import { type AgentStore, insert } from '../../rows/store.ts';
import { type EndedCalls, isRepeat } from '../../tools/common/repeats.ts';
import { refusalOf } from './refusal.ts';

const tools = { canRunBeside: ({ tool }: Pick<ToolCallRow, 'tool'>) => tool === 'read_file' };

/** Before each call it is decided whether it may run; then it ends. */
const startRun = () => {
  const memory = rowsStore({});
  let rowsRead = 0;
  const find: AgentStore['find'] = async (...query) => {
    const rows = await memory.find(...query);
    rowsRead += rows.length;
    return rows;
  };
  const ctx = { store: { ...memory, find }, endedCalls: new Map<string, EndedCalls>() };
  const ended: ToolCallRow[] = [];
  return {
    ended,
    rowsRead: () => rowsRead,
    refuse: (call: Partial<ToolCallRow>) => refusalOf(ctx, { call: toolCallRow('ann', 'next', call), tools }),
    end: async (call: Partial<ToolCallRow>) => {
      const row = toolCallRow('ann', `tc_${ended.length}`, { state: 'ended', outcome: 'ok', ...call });
      ended.push(row);
      await memory.commit([insert('agentToolCalls', row)], 'kept');
    },
  };
};

it('a run reads each of its calls once, not all of them before each one', async () => {
  const { refuse, end, rowsRead } = startRun();
  for (let step = 1; step <= 300; step += 1) {
    const call = { step, arguments: `{"filePath":"${step}.txt"}` };
    expect(await refuse(call)).toBeNull();
    await end(call);
  }
  expect(rowsRead()).toBeLessThan(300);
});

it('a call that was denied is denied to each agent of its run', async () => {
  const { refuse, end } = startRun();
  const call = { tool: 'write_file', arguments: '{"a":1}' };
  await end({ ...call, outcome: 'denied', agentId: 'ag_2' });
  expect(await refuse(call)).toMatchObject({ outcome: 'denied' });
  expect(await refuse({ ...call, runId: 'run_2' })).toBeNull();
  expect(await refuse({ ...call, arguments: '{"a":2}' })).toBeNull();
});

const pastCall = fc.record({
  tool: fc.constantFrom('read_file', 'read_file', 'write_file'),
  arguments: fc.constantFrom('{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"a":1}', '{'),
  outcome: fc.constantFrom('ok' as const, 'failed' as const, 'failed' as const, 'skipped' as const),
  signature: fc.constantFrom('x', 'x', 'y'),
  text: fc.constantFrom('same', 'same', 'other'),
  isInStepBefore: fc.boolean(),
});

it('a call is refused exactly when all that its agent has done makes it a repeat', async () => {
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(pastCall, { minLength: 4, maxLength: 25 }), async (calls) => {
      const { ended, refuse, end } = startRun();
      let [step, n] = [0, 0];
      for (const { text, isInStepBefore, outcome, signature, ...call } of calls) {
        [step, n] = isInStepBefore ? [step, n + 1] : [step + 1, 0];
        const isWriting = call.tool !== 'read_file';
        const expected = isRepeat(
          ended.map((one) => ({ ...one, isWriting: one.tool !== 'read_file' })),
          call,
        );
        const refusal = await refuse({ ...call, step, n });
        expect(refusal).toEqual(
          expected === null ? null : expect.objectContaining({ outcome: 'failed', type: 'result' }),
        );
        if (refusal !== null) refusals += 1;
        const result = [{ type: 'text' as const, text }];
        const effect = isWriting ? ('machine' as const) : ('read' as const);
        const failure = outcome === 'failed' ? signature : null;
        await end({ ...call, step, n, outcome, effect, result, signature: failure });
      }
    }),
  );
  expect(refusals).toBeGreaterThan(0);
});
