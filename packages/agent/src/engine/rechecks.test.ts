import { defaultPolicies } from '@drawbridge/contracts/agent/settings';
import { describe, expect, it } from 'vitest';
import { engineFixture, rowsWithCall } from '../../test/engine-fixture.ts';
import { machineView, mcpTool } from '../../test/outside-tools.ts';
import { askRow } from '../../test/rows.ts';
import type { MachinePort } from '../ports/machine.ts';

const approved = askRow('ann', 'ask_1', {
  toolCallId: 'tc_1',
  payload: {
    inputType: 'approval',
    severity: 'warning',
    message: 'Ring?',
    requestId: 'ask_1',
    toolCallId: 'tc_1',
    toolName: mcpTool.name,
    args: {},
    expiresAt: null,
  },
  state: 'answered',
  answer: { kind: 'approval', approved: true },
  closedAt: 1,
});

type Changes = NonNullable<Parameters<typeof engineFixture>[1]>;

/** A call of an MCP tool that the person has approved, with what has changed meanwhile. */
const resume = async (changes: Changes = {}) => {
  let calls = 0;
  const call = () => {
    calls += 1;
    return Promise.resolve({ content: [] });
  };
  const rows = rowsWithCall({ tool: mcpTool.name, effect: 'outside', askId: 'ask_1' });
  const world = engineFixture(
    { ...rows, agentAsks: [approved] },
    { mcp: { tools: () => Promise.resolve([mcpTool]), call }, ...changes },
  );
  world.ctx.wake('ann', 'ag_1');
  await expect.poll(() => world.log.at(-1)).toBe('run-finish');
  const [run] = await world.store.find('agentRuns', { userId: 'ann' });
  return { ...world, calls: () => calls, run };
};

describe('AG-06 work that continues after its answer', () => {
  it('runs the call where nothing has changed', async () => {
    const { log, calls, run } = await resume();
    expect(log.slice(0, 2)).toEqual(['tool-result ok', 'the model is asked']);
    expect([calls(), run?.state]).toEqual([1, 'completed']);
  });

  it.each<[string, Changes, string]>([
    ['the account is gone', { isUser: () => Promise.resolve(false) }, 'error NOT_FOUND'],
    ['the module is off', { config: { off: 'module' } }, 'error AGENT_OFF'],
    ['no model is allowed', { config: { off: 'model' } }, 'error AGENT_OFF'],
  ])('ends the run before the call: %s', async (_, changes, error) => {
    const { log, calls, run } = await resume(changes);
    expect(log).toContain(error);
    expect(log).not.toContain('the model is asked');
    expect([calls(), run?.state]).toEqual([0, 'error']);
  });

  it.each<[string, Changes]>([
    [
      'the tool is no longer offered',
      { mcp: { tools: () => Promise.resolve([]), call: () => Promise.reject() } },
    ],
    ['the owner has blocked it', { config: { policy: { ...defaultPolicies, executeMcpTool: 'blocked' } } }],
  ])('ends the call alone: %s', async (_, changes) => {
    const { log, calls, run } = await resume(changes);
    expect(log.slice(0, 2)).toEqual(['tool-error failed', 'the model is asked']);
    expect([calls(), run?.state]).toEqual([0, 'completed']);
  });

  it('asks the model nothing more where the budget of the day is spent', async () => {
    const { log, run } = await resume({ config: { tokensPerDay: 1_000 }, tokensToday: 1_000 });
    expect(log).toContain('error BUDGET_SPENT');
    expect(log).not.toContain('the model is asked');
    expect(run?.state).toBe('error');
  });

  it('does not make the call of a machine that no longer offers its tool', async () => {
    const call: MachinePort['call'] = () => Promise.reject(new Error('made'));
    const view = () => Promise.resolve(machineView());
    const rows = rowsWithCall({ tool: 'write_file', effect: 'machine', requestId: 'r1' });
    const { ctx, log } = engineFixture(rows, { machine: { view, call } });
    ctx.wake('ann', 'ag_1');
    await expect.poll(() => log[0]).toBe('tool-error failed');
  });
});
