import { personSender } from '@drawbridge/agent';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCrashWorld, userId as ada } from '../../test/agent-crash.ts';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { withAgent, withMachine } from '../../test/agent.ts';
import { createHeldModel, laneOf, outcomesOf } from '../../test/lane-world.ts';
import { startScriptedModel } from '../../../../e2e/agent/scripted-model.ts';

const withLane = async (environment: Record<string, string> = {}) => {
  const { script, release } = createHeldModel();
  const world = await withAgent(script, environment);
  return { ...world, release, ...laneOf(world.agent, world.userId) };
};

describe('acceptance 6', () => {
  it('followup: three runs in their order, each with one end', async () => {
    const { send, release, runs } = await withLane();
    const requests = [await send('hold a'), await send('say b'), await send('say c')];
    release('a');
    expect(await Promise.all(requests.map(outcomesOf))).toEqual([
      ['started', 'completed'],
      ['queued 1', 'started', 'completed'],
      ['queued 2', 'started', 'completed'],
    ]);
    expect(await runs()).toEqual(['hold a completed', 'say b completed', 'say c completed']);
    expect(await requests[2]?.done).toMatchObject({ content: 'End of c.', isReplayed: false });
  });

  it('collect: one run of what waits, the last one carries it', async () => {
    const { send, release, runs } = await withLane();
    const first = await send('hold a');
    const collect = { mode: 'collect' } as const;
    const rest = [await send('say b', collect), await send('say c', collect), await send('say d', collect)];
    release('a');
    expect((await outcomesOf(first)).at(-1)).toBe('completed');
    const ends = await Promise.all(rest.map(({ done }) => done));
    expect(await runs()).toEqual(['hold a completed', 'say b+say c+say d completed']);
    const into = rest[2]?.requestId;
    const noUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
    const joined = { outcome: 'completed', content: 'End of d.', how: 'merged', into, usage: noUsage };
    expect(ends).toMatchObject([joined, joined, { outcome: 'completed', content: 'End of d.' }]);
    expect(ends[2]).not.toHaveProperty('into');
  });
});

describe('acceptance 7', () => {
  it('steer takes what waits along, steer_backlog leaves it', async () => {
    const { send, runs, release } = await withLane();
    await send('hold a');
    const left = await send('say b');
    const alone = await send('hold c', { mode: 'steer_backlog' });
    expect(
      (await outcomesOf({ ...alone, done: Promise.resolve({ outcome: 'busy', isReplayed: false }) }))[0],
    ).toBe('steered');
    const all = await send('say d', { mode: 'steer' });
    const ends = await Promise.all([left, alone, all].map(({ done }) => done));
    expect(ends).toMatchObject([{ how: 'steered' }, { how: 'steered' }, { how: 'steered' }]);
    expect(await runs()).toEqual(['hold a+hold c+say b+say d completed']);
    release('a');
  });

  it('a message that meets the end of the run is used once, in that run or in its own', async () => {
    const { send, release, runs } = await withLane();
    for (const name of ['e', 'f', 'g', 'h']) {
      const first = await send(`hold ${name}`);
      release(name);
      const late = await send(`say ${name}`, { mode: 'steer' });
      await Promise.all([first.done, late.done]);
      const said = (await runs()).join();
      expect(said.match(new RegExp(`say ${name}`, 'g'))).toHaveLength(1);
    }
  });

  it('AG-01 a message of another sender never enters the run', async () => {
    const { send, agent, userId, release, runs } = await withLane();
    const first = await send('hold a');
    const hook = { userId, key: 'hook:deploys', channel: 'hook', groups: [], usesMemory: false };
    const other = await agent.lanes.send(hook, 'lane', { text: 'say b', mode: 'steer' });
    release('a');
    await Promise.all([first.done, other.done]);
    expect(await runs()).toEqual(['hold a completed', 'say b completed']);
  });
});

it('acceptance 8: interrupt ends what waits and the run, and runs next', async () => {
  const { send, runs } = await withLane();
  const old = [await send('hold a'), await send('say b'), await send('say c')];
  const next = await send('say d', { mode: 'interrupt' });
  expect(await outcomesOf(next)).toEqual(['queued 1', 'notice', 'started', 'completed']);
  const ends = await Promise.all(old.map(({ done }) => done));
  expect(ends).toMatchObject([
    { outcome: 'cancelled', queue: { code: 'preempted' }, isForced: false },
    { outcome: 'superseded', queue: { code: 'superseded', laneId: 'lane', mode: 'followup' } },
    { outcome: 'superseded' },
  ]);
  expect(await runs()).toEqual(['hold a cancelled', 'say d completed']);
});

it('acceptance 9: the cap refuses the new or the oldest, and the next run learns what was dropped', async () => {
  const { send, command, release, model, runs } = await withLane();
  await send('hold a');
  await command('/queue set cap=2');
  const waiting = [await send('say b'), await send('say c')];
  const overflow = {
    outcome: 'overflow',
    queue: { code: 'overflow', overflow: 'drop_new', droppedCount: 1 },
  };
  expect(await (await send('say d')).done).toMatchObject(overflow);
  expect(await command('/queue set overflow=drop_old')).toContain('overflow: drop_old (session)');
  const last = await send('say e');
  expect(await waiting[0]?.done).toMatchObject({
    outcome: 'overflow',
    queue: { overflow: 'drop_old', droppedCount: 2 },
  });
  release('a');
  await last.done;
  expect(await runs()).toEqual(['hold a completed', 'say c completed', 'say e completed']);
  const prompts = requestsOf(model.requests).map(textOf);
  expect(prompts[1]).toMatch(/dropped because too many waited. Do not act on these:\]\\n- say b/);
});

describe('acceptance 10', () => {
  it('a cancellation ends waiting requests first, then the run; once and within 2 s', async () => {
    const { send, cancel, agent } = await withLane();
    const [active, waiting] = [await send('hold a'), await send('say b')];
    const before = systemClock.now();
    expect(await cancel()).toMatchObject({ cancelled: true, rejected: 1 });
    expect(await waiting.done).toMatchObject({ outcome: 'cancelled', runId: null });
    expect(await outcomesOf(active)).toEqual(['started', 'cancel-requested', 'cancelled']);
    expect(systemClock.now() - before).toBeLessThan(2_000);
    expect(await cancel()).toEqual({ cancelled: false, runId: null, rejected: 0 });
    const { cancelLatencyMs, runStates, queueDepth } = await agent.lanes.metrics();
    expect([cancelLatencyMs.sampleCount, runStates.cancelled, queueDepth]).toEqual([1, 1, 0]);
  });

  it('of one request: a waiting one leaves, the others stay; a run that asks ends with its question', async () => {
    const { send, cancel, command, snapshot } = await withLane();
    const asking = await send('ask q');
    const [b, c] = [await send('say b'), await send('say c')];
    expect(await cancel(b.requestId)).toMatchObject({ cancelled: true, runId: null });
    expect(await b.done).toMatchObject({ outcome: 'cancelled' });
    await expect(cancel('msg_unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect((await cancel(asking.requestId)).cancelled).toBe(true);
    expect(await asking.done).toMatchObject({ outcome: 'cancelled' });
    expect(await c.done).toMatchObject({ outcome: 'completed', content: 'End of c.' });
    expect(await command('/stop')).toBe('Nothing is running.');
    await expect(snapshot()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('AG-03 AG-05 a run of a token has the tools of its groups, also for its sub-agents, and nothing of the memory', async () => {
  const write = { name: 'write_file', arguments: { filePath: 'a', content: 'b' } };
  const child = { role: 'helper', instructions: 'child', tools: ['read_file', 'write_file'] };
  const world = await withMachine(
    story(
      [
        { calls: [write] },
        use('delegate', child),
        use('remember', { section: 'notes', mode: 'add', text: 'x' }),
      ],
      {
        child: [{ calls: [write] }],
      },
    ),
  );
  const { agent, userId, model, panel } = world;
  await agent.memory.change(userId, {
    sections: { person: 'canary' },
    version: (await agent.memory.get(userId)).version,
  });
  const groups = ['filesystemRead'] as const;
  const token = { userId, key: 'token:1', channel: 'ws', groups, usesMemory: false };
  const request = await agent.lanes.send(token, 'lane', { text: 'write' });
  expect(await request.done).toMatchObject({ outcome: 'completed' });
  for (const { tools, text } of model.requests) {
    expect(tools).not.toContain('write_file');
    expect(tools).not.toContain('remember');
    expect(text).not.toContain('canary');
  }
  expect(requestsOf(model.requests)[0]?.tools).toContain('read_file');
  expect(requestsOf(model.requests, 'child').map(({ tools }) => tools.includes('read_file'))).toEqual([
    true,
    true,
  ]);
  expect((await panel.calls.list.query({})).calls).toEqual([]);
  // Nor does another client, or the person's words in its chat, bring the memory to it.
  const other = { ...token, key: 'token:2', usesMemory: true };
  await expect(agent.lanes.send(other, 'lane', { text: 'write' })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  const before = model.requests.length;
  await (
    await agent.lanes.send(personSender(userId, 'ws'), 'lane', { text: 'again' })
  ).done;
  const later = model.requests.slice(before);
  expect(later.map(({ text }) => text).join()).not.toContain('canary');
  expect(later.length).toBeGreaterThan(0);
});

it('an idempotency key is one request: open, ended, and refused for another text', async () => {
  const { send, release, runs } = await withLane();
  const key = { key: 'k' };
  const [one, two] = await Promise.all([send('hold a', key), send('hold a', key)]);
  expect(two.requestId).toBe(one.requestId);
  await expect(send('hold b', key)).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  release('a');
  await one.done;
  const again = await send('hold a', key);
  expect(await again.done).toMatchObject({ outcome: 'completed', content: 'End of a.', isReplayed: true });
  expect(await runs()).toEqual(['hold a completed']);
});

it('runs beyond the limit of a user wait for a place, and the threads take turns', async () => {
  const { agent, userId, release } = await withLane({ AGENT_MAX_RUNS_PER_USER: '1' });
  const [a, b] = [laneOf(agent, userId, 'a'), laneOf(agent, userId, 'b')];
  const requests = [await a.send('hold a'), await a.send('say second'), await b.send('say other')];
  const order: number[] = [];
  requests.forEach(({ listen }, at) => listen(({ type }) => void (type === 'started' && order.push(at))));
  release('a');
  expect(await outcomesOf(requests[2]!)).toEqual(['queued 1', 'started', 'completed']);
  await requests[1]?.done;
  expect(order).toEqual([0, 2, 1]);
});

describe('/queue', () => {
  it('shows and sets the policy of the thread, and says what is wrong', async () => {
    const { command } = await withLane();
    expect(await command('hello /queue')).toBeNull();
    expect(await command('/queue')).toContain('mode: followup (server)');
    expect(await command('/queue set steer cap=8 debounce=250 summarize=off')).toBe(
      'mode: steer (session)\ncap: 8 (session)\noverflow: drop_new (server)\ndebounce: 250 (session)\nsummarize: false (session)\nNo message waits.',
    );
    for (const wrong of ['cap=101', 'mode=nope', 'debounce=-1', '__proto__=1', 'overflow=x'])
      expect(await command(`/queue set ${wrong}`)).toMatch(new RegExp(`^"${wrong}" is not valid`));
    expect(await command('/queue')).toContain('cap: 8 (session)');
    expect(await command('/queue reset')).toContain('mode: followup (server)');
    expect(await command('/runtime status')).toMatch(/^Runtime: native/);
    expect(await command('/backend activate pi')).toContain('No machine offers pi_embedded');
    expect(await command('/subagents list')).toBe('There are no sub-agents.');
  });
});

it('acceptance 13: a server that is gone leaves what waits, which runs in order, with its policy', async () => {
  const { script } = createHeldModel();
  const model = await startScriptedModel(script);
  onTestFinished(model.close);
  const { live } = await createCrashWorld({ AGENT_MODEL_URL: model.url });
  await live(async ({ agent }) => {
    const { send, command } = laneOf(agent, ada);
    await send('ask q');
    await command('/queue set cap=7');
    await send('say b', { key: 'b' });
    await send('say c');
    const asks = async () => Object.keys((await agent.threads.snapshot(ada, 'lane', { limit: 9 })).view.asks);
    await expect.poll(asks).toHaveLength(1);
  });
  await live(async ({ agent }) => {
    const { send, runs, command } = laneOf(agent, ada);
    expect(await command('/queue')).toMatch(/cap: 7 \(session\)[^]*2 waiting/);
    const again = await send('say b', { key: 'b' });
    const { view } = await agent.threads.snapshot(ada, 'lane', { limit: 9 });
    for (const { requestId } of Object.values(view.asks))
      await agent.confirm(ada, requestId, { kind: 'questions', answers: [] });
    expect(await again.done).toMatchObject({ outcome: 'completed', content: 'End of b.' });
    await expect.poll(runs).toEqual(['ask q completed', 'say b completed', 'say c completed']);
  });
});
