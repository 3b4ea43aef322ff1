import { personSender } from '@drawbridge/agent';
import { emptyView, reduce } from '@drawbridge/agent/view';
import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { ThreadView } from '@drawbridge/contracts/agent/threads';
import { expect, it } from 'vitest';
import type { ScriptedRequest, Turn } from '../../../../e2e/agent/scripted-model.ts';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { nextCall, resultOf, withAgent, withMachine } from '../../test/agent.ts';

const delegate = (more: object = {}) =>
  use('delegate', { role: 'reader', instructions: 'child one', tools: ['fetch-url'], ...more });
/** The sub-agent that the request names. */
const idIn = (request: ScriptedRequest) => /(?:sub-agent|task) (ag_[\w-]+)/.exec(textOf(request))?.[1] ?? '';
const send = (request: ScriptedRequest, message: string, more: object = {}) =>
  use('send-to-sub-agent', { id: idIn(request), message, ...more });
const silent: Turn = { text: 'Working', end: 'silent' };
const toolsOf = (requests: readonly ScriptedRequest[]) => requests.map(({ tools }) => tools);
/** What the messages of a request say, without the system prompt. */
const saidIn = ({ body }: ScriptedRequest) =>
  body.messages.filter(({ role }) => role !== 'system').map(({ content }) => String(content));

it('a sub-agent remembers its first turn in a later run, and has its tools', async () => {
  const turns = [delegate(), { text: 'Done.' }];
  const { say, until, snapshot, model, events } = await withAgent(
    story(
      (request, number) => turns[number - 1] ?? (number === 3 ? send(request, 'child two') : { text: 'Ok.' }),
      {
        'child one': [{ text: 'It says 42.' }],
        'child two': [{ text: 'It says 43.' }],
      },
    ),
  );
  await say('go');
  const { runId } = await until('run-finish');
  await say('and then?');
  await until('run-finish', (event) => event.runId !== runId);
  const [second] = requestsOf(model.requests, 'child two');
  expect(saidIn(second!)).toEqual(['child one', 'It says 42.', 'child two']);
  expect(toolsOf([second!])).toEqual([['fetch-url']]);
  const main = requestsOf(model.requests);
  expect(textOf(main.at(-1)!)).toContain('It says 43.');
  // The tools for sub-agents are there once there is one.
  expect(main[0]!.tools).not.toContain('send-to-sub-agent');
  expect(main[1]!.tools).toEqual(expect.arrayContaining(['send-to-sub-agent', 'delete-sub-agent']));
  const spawned = (await events()).flatMap(({ event }) =>
    event.type === 'agent-spawned' && event.payload.kind === 'delegate' ? [event] : [],
  );
  expect(spawned.map(({ payload }) => payload.continues)).toEqual([undefined, spawned[0]?.agentId]);
  const { agents } = (await snapshot()).view;
  expect(agents[spawned[1]?.agentId ?? '']).toMatchObject({ continues: spawned[0]?.agentId, role: 'reader' });
});

/** A background task at work, and what the model does then; `open` lets its first step end. */
const busy = async (then: (request: ScriptedRequest, number: number) => Turn) => {
  const gate = Promise.withResolvers<void>();
  const world = await withAgent(
    story((request, number) => (number === 1 ? delegate({ background: true }) : then(request, number)), {
      'child one': [{ text: 'One.', until: gate.promise }],
      'child two': [{ text: 'Two.' }],
    }),
  );
  await world.say('go');
  const { runId } = await world.until('run-finish');
  return { ...world, gate, runId };
};

it('a message to a busy sub-agent waits for its end', async () => {
  const { gate, snapshot, model, until } = await busy((request, number) =>
    number === 2 ? send(request, 'child two', { background: true }) : { text: 'Fine.' },
  );
  const states = async () => {
    const { view } = await snapshot();
    return Object.values(view.agents).flatMap(({ kind, status }) => (kind === 'background' ? [status] : []));
  };
  expect(await states()).toEqual([null, null]);
  expect(requestsOf(model.requests, 'child two')).toEqual([]);
  gate.resolve();
  await until('agent-completed', ({ payload }) => payload.result === 'Two.');
  expect(saidIn(requestsOf(model.requests, 'child two')[0]!)).toEqual(['child one', 'One.', 'child two']);
});

it('a message takes the place of the present work where the agent wants that', async () => {
  const { until, model } = await busy((request, number) =>
    number === 2
      ? send(request, 'child two', { background: true, when_busy: 'interrupt' })
      : { text: 'Fine.' },
  );
  await until('agent-completed', ({ payload }) => payload.status === 'cancelled');
  await until('agent-completed', ({ payload }) => payload.result === 'Two.');
  // What it had said until then stays.
  expect(saidIn(requestsOf(model.requests, 'child two')[0]!)).toEqual(['child one', 'One.', 'child two']);
});

it('a message that may not begin does not end the present work', async () => {
  const others = [1, 2, 3, 4].map((n) => ({
    name: 'delegate',
    arguments: { role: 'r', instructions: `other ${n}` },
  }));
  const held = Promise.withResolvers<void>();
  const { say, until, snapshot } = await withAgent(
    story(
      (request, number) => {
        if (number === 1) return delegate({ background: true });
        const { calls = [] } = send(request, 'child two', { when_busy: 'interrupt' });
        return number === 2 ? { calls: [...others, ...calls] } : { text: 'Fine.' };
      },
      { child: () => silent, other: () => ({ text: 'Two.', until: held.promise }) },
    ),
  );
  await say('go');
  const error = await until('tool-error');
  expect(error.payload.error).toContain('4 sub-agents work already');
  const { agents } = (await snapshot()).view;
  expect(Object.values(agents).find(({ kind }) => kind === 'background')?.status).toBeNull();
  held.resolve();
});

it('a message is read before the next step where the agent steers', async () => {
  const steps: Turn[] = [use('fetch-url', { url: 'nowhere' }), { text: 'Read it.' }];
  const gate = Promise.withResolvers<void>();
  const { say, until, model } = await withAgent(
    story(
      (request, number) => {
        if (number === 1) return delegate({ background: true });
        return number === 2 ? send(request, 'be quick', { when_busy: 'steer' }) : { text: 'Fine.' };
      },
      {
        child: (_, number) =>
          ({ ...steps[number - 1], until: number === 1 ? gate.promise : undefined }) as Turn,
      },
    ),
  );
  await say('go');
  await until('run-finish');
  gate.resolve();
  await until('agent-completed', ({ payload }) => payload.result === 'Read it.');
  expect(textOf(requestsOf(model.requests, 'child')[1]!)).toContain('[Correction] be quick');
});

it('a sub-agent has 20 turns', async () => {
  const { say, until, model } = await withAgent(
    story((request, number) => {
      if (number === 1) return delegate();
      return number <= 21 ? send(request, `child ${number}`) : { text: 'Enough.' };
    }),
  );
  await say('go');
  await until('run-finish');
  expect(requestsOf(model.requests, 'child')).toHaveLength(20);
  expect(textOf(requestsOf(model.requests).at(-1)!)).toContain('It has had 20 turns, the most.');
});

it('an unknown id is said to the model', async () => {
  const { say, until, model } = await withAgent(
    story([delegate(), use('send-to-sub-agent', { id: 'ag_x', message: 'child two' }), { text: 'Hm.' }]),
  );
  await say('go');
  await until('run-finish');
  expect(textOf(requestsOf(model.requests).at(-1)!)).toContain('There is no sub-agent with this id.');
});

it('AG-11 a sub-agent of the person has no more rights than the client whose run asks it again', async () => {
  const write = { name: 'write_file', arguments: { filePath: 'a', content: 'b' } };
  const tools = ['read_file', 'write_file'];
  const { agent, userId, model, panel } = await withMachine(
    story(
      (request, number) => {
        if (number === 2) return use('delegate', { role: 'writer', instructions: 'child one', tools });
        return number === 4 ? send(request, 'child two') : { text: 'Ok.' };
      },
      { 'child two': [{ calls: [write] }] },
    ),
  );
  const groups = ['filesystemRead'] as const;
  const token = { userId, key: 'token:1', channel: 'ws', groups, usesMemory: false };
  const person = personSender(userId, 'ws');
  for (const sender of [token, person, token])
    await (
      await agent.lanes.send(sender, 'lane', { text: 'go' })
    ).done;
  expect(toolsOf(requestsOf(model.requests, 'child one'))[0]).toContain('write_file');
  const later = toolsOf(requestsOf(model.requests, 'child two'));
  expect(later.map((names) => names.includes('write_file'))).toEqual([false, false]);
  expect((await panel.calls.list.query({})).calls).toEqual([]);
});

/** A chat with a sub-agent that has read `canary`, in two turns, and a command in it. */
const read = async (then: Turn[] = []) => {
  const world = await withMachine(
    story(
      (request, number) => {
        if (number === 1)
          return use('delegate', { role: 'r', instructions: 'child one', tools: ['read_file'] });
        return number === 2 ? send(request, 'child two') : (then[number - 3] ?? { text: 'Ok.' });
      },
      {
        'child one': [use('read_file', { path: 'a' }), { text: 'canary one' }],
        'child two': [{ text: 'Two.' }],
      },
    ),
  );
  const { say, until, daemon, agent, userId } = world;
  await say('go');
  await daemon.respond((await nextCall(daemon)).requestId, resultOf('canary'));
  await until('run-finish');
  const command = (text: string) => agent.lanes.command(personSender(userId, 'panel'), 'thread', text);
  return { ...world, command };
};

/** Events and rows of one moment are a millisecond apart at times. */
const untimed = ({ agents, calls }: ThreadView): unknown =>
  JSON.parse(
    JSON.stringify({ agents, calls }, (name, value: unknown) =>
      /^(started|ended)At$/.test(name) ? 0 : value,
    ),
  );

it('/subagents names a sub-agent once, says how it stands, and deletes it with all that it did', async () => {
  const { command, snapshot, events, agent, userId } = await read();
  const fold = (made: ThreadView, { id, event }: { id: number; event: StoredEvent }) =>
    reduce(made, id, event);
  const open = (await events()).reduce(fold, emptyView());
  const [line = ''] = String(await command('/subagents list')).split('\n');
  expect(line).toMatch(/^ag_\S+ {2}delegate {2}completed {2}2 turns {2}r$/);
  const [id = ''] = line.split(' ');
  expect(await command(`/subagents summary ${id}`)).toBe(`${line}  3 steps\nTwo.`);
  expect(await command(`/subagents cancel ${id}`)).toBe(`${id} has ended already.`);
  expect(await command(`/subagents delete ${id.toUpperCase()}`)).toBe(`${id} is deleted.`);
  expect(await command('/subagents list')).toBe('There are no sub-agents.');
  const kept = (await events()).filter(({ event }) => event.agentId === id);
  expect(JSON.stringify(kept)).not.toMatch(/canary|child one/);
  const { view } = await snapshot();
  expect(view.agents[id]).toMatchObject({
    isDeleted: true,
    entries: [],
    result: '',
    goal: '',
    status: 'completed',
  });
  expect(
    Object.values(view.calls)
      .map(({ toolName }) => toolName)
      .toSorted(),
  ).toEqual(['delegate', 'send-to-sub-agent']);
  // A panel that was open makes the same of the events as the server of its rows.
  const folded = (await agent.threads.eventsAfter(userId, 'thread', open.lastSeq)).events.reduce(fold, open);
  expect(untimed(folded)).toEqual(untimed(view));
});

it('AG-12 text from outside marks the chat also after its sub-agent was deleted', async () => {
  const remember = use('remember', { section: 'notes', mode: 'add', text: 'x' });
  const { command, say, until } = await read([{ text: 'Ok.' }, remember]);
  await command(`/subagents delete ${String(await command('/subagents list')).split(' ')[0]}`);
  await say('remember x');
  expect((await until('confirmation-request')).payload.toolName).toBe('remember');
});

it('/subagents cancel ends a sub-agent alone: the run continues and reads that', async () => {
  const { say, until, agent, userId, model } = await withAgent(
    story([delegate(), { text: 'Well.' }], { child: () => silent }),
  );
  await say('go');
  await expect.poll(() => requestsOf(model.requests, 'child').length).toBe(1);
  const command = (text: string) => agent.lanes.command(personSender(userId, 'panel'), 'thread', text);
  const [id = ''] = String(await command('/subagents list')).split(' ');
  expect(await command(`/subagents cancel ${id}`)).toBe(`${id} is cancelled.`);
  expect((await until('run-finish')).payload.status).toBe('completed');
  expect(textOf(requestsOf(model.requests).at(-1)!)).toContain('The sub-agent did not finish (cancelled)');
  expect(await command('/subagents cancel ag_x')).toMatch(/^There is no such sub-agent/);
});

it('the agent lists its sub-agents, reads how one stands and deletes it', async () => {
  const { say, until, model } = await withAgent(
    story(
      (request, number) => {
        const names = ['list-sub-agents', 'summarize-sub-agent', 'delete-sub-agent', 'list-sub-agents'];
        if (number === 1) return delegate();
        const name = names[number - 2];
        if (name === undefined) return { text: 'Done.' };
        return use(name, name === 'list-sub-agents' ? {} : { id: idIn(request) });
      },
      { child: [{ text: 'It says 42.' }] },
    ),
  );
  await say('go');
  await until('run-finish');
  const results = requestsOf(model.requests)
    .at(-1)!
    .body.messages.filter(({ role }) => role === 'tool');
  const [, listed, summary, deleted, none] = results.map(({ content }) => String(content));
  expect(listed).toMatch(/ag_\S+ "reader": completed, 1 turns/);
  expect(summary).toContain('Last result: It says 42.');
  expect([deleted, none]).toEqual(['Deleted.', expect.stringContaining('no tool list-sub-agents')]);
});
