import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withAgent } from '../../../../test/agent.ts';
import { collectTopic } from '../../../../test/collect.ts';
import type { Panel } from '../../../../test/panel.ts';
import { createTenants } from '../../../../test/tenants.ts';

/** Follows a thread; `ids` are those of stored events. */
const follow = (panel: Panel, threadId: string, lastEventId?: string) => {
  const frames: ThreadFrame[] = [];
  const ids: string[] = [];
  const { unsubscribe } = panel.agent.events.subscribe(
    { threadId, ...(lastEventId !== undefined && { lastEventId }) },
    {
      onData: (frame) => {
        if ('data' in frame) ids.push(frame.id);
        frames.push('data' in frame ? frame.data : frame);
      },
    },
  );
  onTestFinished(unsubscribe);
  return {
    frames,
    ids,
    types: () => frames.map((frame) => ('event' in frame ? frame.event.type : frame.type)),
  };
};

describe("the panel's agent", () => {
  it('sends, follows, and reads what the thread shows', async () => {
    const usage = { input: 100, output: 10 };
    const script = [
      { text: 'Hello.', usage },
      { text: 'A title', usage },
    ];
    const { panel, server, cookie } = await withAgent(script, { AGENT_TOKENS_PER_DAY: '1000000' });
    const pushed = await collectTopic(panel, 'usage');
    await panel.agent.threads.create.mutate({ threadId: 't1' });
    const { ids, types } = follow(panel, 't1');
    await expect.poll(types).toEqual(['run-sync']);
    await panel.agent.send.mutate({ threadId: 't1', message: 'hi' });
    await expect.poll(types).toContain('run-finish');
    await expect.poll(() => types().at(-1)).toBe('thread-title-updated');
    expect(types()).toContain('text-delta');
    expect(ids).toEqual(ids.map((_, at) => `${at + 1}`));
    const { view, now, nextEventId } = await panel.agent.messages.query({ threadId: 't1' });
    expect(view.runs).toMatchObject([{ status: 'completed' }]);
    expect([now.status, nextEventId]).toEqual(['idle', ids.length + 1]);
    const later = follow(panel, 't1', '3');
    await expect.poll(() => later.ids.length).toBe(ids.length - 3);
    expect(await panel.agent.credits.query()).toMatchObject({ tokens: expect.any(Number), quota: 1_000_000 });
    // Each model call is told once it is counted, the helper's too.
    const used = (await pushed.until(2)).at(-1);
    const quota = { unit: 'tokens', quota: 1_000_000, used: 220, resetsAt: expect.stringMatching(/T00:00/) };
    expect(used).toMatchObject({ type: 'usageChanged', credits: quota });
    const credits = await server.send('/rest/instance-ai/credits', { headers: { cookie } });
    expect(credits.json).toEqual({ data: quota });
    expect(await panel.agent.run.query({ runId: view.runs[0]?.id ?? '' })).toMatchObject({
      usage: { inputTokens: expect.any(Number) },
      agents: [{ kind: 'main', steps: 1, calls: 0 }],
      events: expect.arrayContaining([{ seq: 1, event: expect.objectContaining({ type: 'run-start' }) }]),
    });
    expect(await panel.agent.memory.get.query()).toMatchObject({ enabled: true, version: 0 });
  });

  it('answers commands, which reach no model and are no messages', async () => {
    const { panel } = await withAgent(() => ({ text: 'Hello.' }));
    const answerTo = async (message: string) => {
      const reply = await panel.agent.send.mutate({ threadId: 't1', message });
      return 'answer' in reply ? reply.answer : null;
    };
    expect(await answerTo('/queue set mode=steer')).toContain('mode: steer (session)');
    expect(await answerTo('/QUEUE')).toContain('No message waits.');
    expect(await answerTo('/stop')).toBe('Nothing is running.');
    expect(await answerTo('/runtime status')).toContain('Runtime: native.');
    expect(await answerTo('/subagents')).toBe('There are no sub-agents.');
    expect(await answerTo('/help')).toContain('/subagents: the sub-agents');
    expect((await panel.agent.messages.query({ threadId: 't1' })).view.runs).toEqual([]);
    expect(await panel.agent.send.mutate({ threadId: 't1', message: '/etc/hosts' })).toMatchObject({
      runId: expect.any(String),
    });
  });

  it('announces threads that change, to their person alone', async () => {
    const { ann, ben } = await createTenants();
    const seen: unknown[] = [];
    const subscribe = ({ panel }: { panel: Panel }, name: string) =>
      new Promise<void>((resolve) => {
        const { unsubscribe } = panel.live.onEvent.subscribe(undefined, {
          onData: ({ data: { topic, event } }) => {
            if (topic === 'threads') seen.push([name, event.threadId, event.thread?.title]);
            else resolve();
          },
        });
        onTestFinished(unsubscribe);
      });
    await subscribe(ann, 'ann');
    await subscribe(ben, 'ben');
    await ann.panel.agent.threads.create.mutate({ threadId: 't1' });
    await expect.poll(() => seen).toEqual([['ann', 't1', '']]);
    await ann.panel.agent.threads.remove.mutate({ threadId: 't1' });
    await expect
      .poll(() => seen)
      .toEqual([
        ['ann', 't1', ''],
        ['ann', 't1', undefined],
      ]);
  });

  it('deletes all threads of one person, and none of another', async () => {
    const { ann, ben } = await createTenants();
    const idsOf = async ({ panel }: { panel: Panel }) =>
      (await panel.agent.threads.list.query({})).threads.map(({ id }) => id).toSorted();
    for (const threadId of ['t1', 't2']) await ann.panel.agent.threads.create.mutate({ threadId });
    await ben.panel.agent.threads.create.mutate({ threadId: 't1' });
    await ann.panel.agent.threads.removeAll.mutate();
    expect([await idsOf(ann), await idsOf(ben)]).toEqual([[], ['t1']]);
  });

  it('gives nothing of another person, and settings to the owner alone', async () => {
    const { ann, ben } = await createTenants();
    await ann.panel.agent.threads.create.mutate({ threadId: 't1' });
    const { agent } = ben.panel;
    const [machine] = await ben.panel.gateway.machines.query();
    const machineId = machine?.id ?? '';
    await agent.threads.create.mutate({ threadId: 't2' });
    expect(await agent.threads.change.mutate({ threadId: 't2', machineId })).toMatchObject({ machineId });
    for (const foreign of [
      () => agent.threads.get.query({ threadId: 't1' }),
      () => agent.threads.remove.mutate({ threadId: 't1' }),
      () => agent.messages.query({ threadId: 't1' }),
      () => agent.toolCall.query({ toolCallId: 'tc_1' }),
      () => ann.panel.agent.threads.change.mutate({ threadId: 't1', machineId }),
      () => agent.run.query({ runId: 'run_1' }),
      () => agent.continue.mutate({ threadId: 't1' }),
      () => agent.tasks.cancel.mutate({ threadId: 't1', taskId: 'ag_1' }),
      () => agent.confirm.mutate({ requestId: 'ask_1', answer: { approved: true } }),
    ])
      await expect(foreign()).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } });
    for (const owners of [
      () => agent.settings.get.query(),
      () => agent.settings.change.mutate({}),
      () => agent.settings.verify.mutate({ target: 'model' }),
    ])
      await expect(owners()).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } });
  });
});
