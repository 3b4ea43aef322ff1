import { createFakeClock, systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { engineFixture, rowsWithCall } from '../../test/engine-fixture.ts';
import { endedAs, machineTool, machineView } from '../../test/outside-tools.ts';
import { onMachineCall, steer, stopThread } from '../../test/performed.ts';
import type { MachinePort } from '../ports/machine.ts';
import type { AgentRow, ToolCallRow } from '../rows/rows.ts';
import { update } from '../rows/store.ts';

const view = () => Promise.resolve(machineView(machineTool('write_file')));

/** A call of the machine. */
const rowsWith = (call: Partial<ToolCallRow>) =>
  rowsWithCall({ tool: 'write_file', effect: 'machine', requestId: 'r1', ...call });

const messages = [{ id: 'msg_9', text: 'rather this', files: [], source: 'steered' as const }];

describe('an answer to the machine', () => {
  it.each([
    ['runs there by now', () => Promise.resolve('open' as const), () => Promise.resolve(true)],
    ['comes before the withdrawal', () => Promise.resolve('waiting' as const), () => Promise.resolve(false)],
  ])('lets its call run that %s, whatever a new message says', async (_, stateOf, cancel) => {
    const { ctx, store, log } = engineFixture(rowsWith({ state: 'waiting' }), {
      machine: { view, stateOf, cancel },
    });
    const [run] = await store.find('agentRuns', { userId: 'ann' });
    expect(run && (await steer(ctx, run, { messages, writes: [] }))).toBe(true);
    expect(log).not.toContain('tool-error skipped');
    expect(await store.find('agentToolCalls', { userId: 'ann' })).toMatchObject([{ endedAt: null }]);
  });

  it('a call that begins while a new message looks for it on the machine runs to its end', async () => {
    const begun = Promise.withResolvers<void>();
    const steered = Promise.withResolvers<void>();
    const world = engineFixture(rowsWith({}), {
      machine: {
        view,
        // The runner is faster than the message: the machine has no record of the call yet.
        cancel: async () => {
          world.ctx.wake('ann', 'ag_1');
          await begun.promise;
          return true;
        },
        call: async () => {
          begun.resolve();
          await steered.promise;
          return endedAs('succeeded', { result: { content: [] } });
        },
      },
    });
    const { ctx, store, log } = world;
    const [run] = await store.find('agentRuns', { userId: 'ann' });
    expect(run && (await steer(ctx, run, { messages, writes: [] }))).toBe(true);
    steered.resolve();
    await expect.poll(() => log).toContain('run-finish');
    expect(log).toContain('tool-result ok');
    expect(log).not.toContain('tool-error skipped');
  });

  it('that comes, with the end of its call, before the question is written, is found behind it', async () => {
    let state: Awaited<ReturnType<MachinePort['stateOf']>> = 'unknown';
    const call: MachinePort['call'] = async () => {
      if (state === 'ended') return endedAs('succeeded', { result: { content: [] } });
      const question = { confirmationId: 'c1', resource: 'a', description: 'Write a', options: [] };
      // The person answers and the call ends while the outcome is on its way: no other change follows.
      state = 'ended';
      return { kind: 'waiting', question, title: 'Write?', expiresAt: null };
    };
    const { ctx, store, log, errors } = engineFixture(rowsWith({}), {
      machine: { view, call, stateOf: () => Promise.resolve(state) },
    });
    ctx.wake('ann', 'ag_1');
    await expect.poll(() => log.at(-1)).toBe('run-finish');
    expect(log.slice(0, 3)).toEqual([
      'confirmation-request',
      'confirmation-closed answered',
      'tool-result ok',
    ]);
    expect(await store.find('agentToolCalls', { userId: 'ann' })).toMatchObject([{ state: 'ended' }]);
    expect(errors).toEqual([]);
  });
});

it.each([
  ['the person', {}, 60_000],
  ['a sub-agent', { tool: 'delegate', effect: 'own' as const }, 0],
])('AG-04 the time that a run waits for %s', async (_, call, waitedMs) => {
  const rows = rowsWith({ ...call, state: 'ended', outcome: 'ok', result: [] });
  const now = systemClock.now();
  const agentAgents = rows.agentAgents.map((agent): AgentRow => ({
    ...agent,
    state: 'waiting',
    lastActiveAt: now - 60_000,
  }));
  const { ctx, store, log } = engineFixture({ ...rows, agentAgents });
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log.at(-1)).toBe('run-finish');
  const [run] = await store.find('agentRuns', { userId: 'ann' });
  expect(Math.floor((run?.waitedMs ?? 0) / 60_000) * 60_000).toBe(waitedMs);
});

it('the end of a call does not resume an agent that has ended meanwhile', async () => {
  const called = Promise.withResolvers<void>();
  const where = { userId: 'ann', id: 'ag_1' };
  const { ctx, store, halt, log } = engineFixture(rowsWith({}), {
    machine: {
      view,
      call: async () => {
        await store.commit([update('agentAgents', where, { state: 'ended' })], 'kept');
        called.resolve();
        return endedAs('succeeded', { result: { content: [] } });
      },
    },
  });
  ctx.wake('ann', 'ag_1');
  await called.promise;
  await halt([{ id: 'ag_1' }]);
  expect(await store.find('agentAgents', where)).toMatchObject([{ state: 'ended' }]);
  expect(log).toEqual([]);
});

describe('AG-10 CF-10 what ends a call that waits for the person', () => {
  const waiting = () => {
    const world = engineFixture(rowsWith({ state: 'waiting' }), {
      machine: {
        view,
        stateOf: () => Promise.resolve('ended'),
        // The machine's record reports the end of the call at once.
        cancel: async (userId, requestId) => {
          world.log.push('cancelled on the machine');
          await onMachineCall(world.ctx, userId, requestId);
          return true;
        },
      },
    });
    return world;
  };

  it('Stop withdraws its question first, then cancels it: its end is no answer', async () => {
    const { ctx, log } = waiting();
    await stopThread(ctx, 'ann', 't1');
    expect(log).toEqual([
      'confirmation-closed withdrawn',
      'tool-interrupted stopped',
      'agent-completed',
      'run-finish',
      'cancelled on the machine',
    ]);
  });

  it('a steered message does so too', async () => {
    const { ctx, store, log } = waiting();
    const [run] = await store.find('agentRuns', { userId: 'ann' });
    expect(run && (await steer(ctx, run, { messages, writes: [] }))).toBe(true);
    expect(log.slice(0, 3)).toEqual([
      'cancelled on the machine',
      'confirmation-closed withdrawn',
      'tool-error skipped',
    ]);
    expect(log).not.toContain('confirmation-closed answered');
  });
});

it('an agent whose store was away, also for its end, continues once the store is back', async () => {
  const clock = createFakeClock();
  let isAway = true;
  const { ctx, log, errors } = engineFixture(rowsWith({ state: 'planned', tool: 'none' }), {
    clock,
    beforeCommit: () => (isAway ? Promise.reject(new Error('away')) : undefined),
  });
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => errors.length).toBe(2);
  clock.advance(1_000);
  await expect.poll(() => errors.length).toBe(4);
  isAway = false;
  clock.advance(1_999);
  expect(log).toEqual([]);
  clock.advance(1);
  await expect.poll(() => log.at(-1)).toBe('run-finish');
});
