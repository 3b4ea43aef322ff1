import { expect, it } from 'vitest';
import { engineFixture } from '../../../test/engine-fixture.ts';
import { machineTool, machineView } from '../../../test/outside-tools.ts';
import { agentRow, messageRow, runRow, threadRow } from '../../../test/rows.ts';
import { ModelError, type ModelPart } from '../../ports/model.ts';
import type { AgentRow } from '../../rows/rows.ts';
import { insert } from '../../rows/store.ts';

const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 0 };
const asked = (count: number): ModelPart[] => [
  ...Array.from({ length: count }, (_, index) => ({
    type: 'tool-call' as const,
    index,
    tool: `unknown_${index}`,
    arguments: '{}',
  })),
  // Calls count, whatever the reason of the finish says.
  { type: 'finish', reason: 'stop', usage },
];

/** The calls that are stored of one answer of the model. */
const callsOf = async (count: number, agent: Partial<AgentRow> = {}) => {
  const { ctx, store, log } = engineFixture(
    {
      agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
      agentRuns: [runRow('ann', 'run_1')],
      agentAgents: [agentRow('ann', 'ag_1', agent)],
    },
    { parts: asked(count) },
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log.includes('agent-completed')).toBe(true);
  return store.find('agentToolCalls', { userId: 'ann' });
};

it('AG-07 a step has 32 calls at most, each with an id of its own, also after the finish "stop"', async () => {
  const calls = await callsOf(40);
  expect([calls.length, new Set(calls.map(({ id }) => id)).size]).toEqual([32, 32]);
  expect(calls.map(({ outcome }) => outcome)).toEqual(calls.map(() => 'failed'));
});

it('AG-03 AG-07 calls in the last step of a sub-agent, which has no tools, are dropped', async () => {
  expect(await callsOf(2, { kind: 'background', maxSteps: 1 })).toEqual([]);
});

it('an answer that breaks off keeps its text, and its tokens as an estimate', async () => {
  const { ctx, store, log } = engineFixture(
    {
      agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
      agentRuns: [runRow('ann', 'run_1')],
      agentAgents: [agentRow('ann', 'ag_1')],
    },
    { parts: [{ type: 'text', text: 'Half' }, new ModelError('too-large', 'Too large.')] },
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log.at(-1)).toBe('run-finish');
  expect(log.slice(1, 3)).toEqual(['text-block', 'error MODEL_REFUSED']);
  expect(await store.find('agentMessages', { userId: 'ann' })).toMatchObject([
    { role: 'assistant', parts: [{ type: 'text', text: 'Half' }] },
  ]);
  const [run] = await store.find('agentRuns', { userId: 'ann' });
  expect([run?.isEstimated, (run?.inputTokens ?? 0) > 0, (run?.outputTokens ?? 0) > 0]).toEqual([
    true,
    true,
    true,
  ]);
});

it('a model that was silent for too long is asked again, and what it wrote before is not kept', async () => {
  const { ctx, store, log } = engineFixture(
    {
      agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
      agentRuns: [runRow('ann', 'run_1')],
      agentAgents: [agentRow('ann', 'ag_1')],
    },
    { parts: [{ type: 'text', text: 'Half' }, new ModelError('silent', 'Silent.')] },
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log.at(-1)).toBe('run-finish');
  expect(await store.find('agentMessages', { userId: 'ann' })).toMatchObject([
    { role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] },
  ]);
});

it('AG-01 tools of a machine do not replace those of the agent, whatever their names are', async () => {
  const call = { type: 'tool-call', index: 0, tool: 'update-tasks', arguments: '{"tasks":[]}' } as const;
  const { ctx, log } = engineFixture(
    {
      agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
      agentRuns: [runRow('ann', 'run_1')],
      agentAgents: [agentRow('ann', 'ag_1')],
    },
    {
      machine: { view: () => Promise.resolve(machineView(machineTool('update-tasks'))) },
      parts: [call, { type: 'finish', reason: 'tool-calls', usage }],
    },
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log.at(-1)).toBe('run-finish');
  expect(log).toContain('tool-result ok');
});

it('a background task ends, however many notes of other tasks come before its own', async () => {
  const others = 12;
  let notes = 0;
  const { ctx, store, log, errors } = engineFixture(
    {
      agentThreads: [threadRow('ann', 't1', { title: 'Notes' })],
      agentRuns: [runRow('ann', 'run_1', { state: 'completed' })],
      agentAgents: [agentRow('ann', 'ag_1', { kind: 'background', parentId: 'ag_0' })],
    },
    {
      beforeCommit: (memory, writes) => {
        const ends = writes.some((write) => write.type === 'event' && write.event.type === 'agent-completed');
        if (!ends || notes >= others) return undefined;
        notes += 1;
        const note = messageRow('ann', notes, { role: 'user', source: 'note' });
        return memory.commit([insert('agentMessages', note)], 'kept');
      },
    },
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log.includes('agent-completed')).toBe(true);
  const [agent] = await store.find('agentAgents', { userId: 'ann', id: 'ag_1' });
  expect([agent?.outcome, errors]).toEqual(['completed', []]);
  const last = await store.find('agentMessages', { userId: 'ann', history: 'main' });
  expect(JSON.stringify(last.at(others))).toContain('Done.');
});
