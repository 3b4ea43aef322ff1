import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type ScriptedRequest } from '../../../e2e/agent/scripted-model.ts';
import { isHelper, use } from './agent-turns.ts';
import type { Fate } from './lossy-bus.ts';
import { expectWhole, openTwoAgents, threadId, type TwoAgents, userId } from './two-agents.ts';

const fates: Fate[] = ['arrives', 'is late', 'arrives twice', 'is lost'];
const kinds = ['say', 'steer', 'answer', 'cancel', 'suspend', 'go on', 'wait', 'wait'] as const;
const step = fc.record({ does: fc.constantFrom(...kinds), at: fc.constantFrom(0, 1), ms: fc.nat(9_000) });
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

const allow = { kind: 'resourceDecision', resourceDecision: 'allowOnce' } as const;

/** Each message is answered by a write, a read and a sentence; the paths are those of the message alone. */
const script = (request: ScriptedRequest) => {
  if (isHelper(request)) return { text: 'Title' };
  const { messages } = request.body;
  // Messages of a person that follow each other reach the model as the parts of one.
  const said = messages.map(({ role, content }) => (role === 'user' ? JSON.stringify(content) : ''));
  const at = said.findLastIndex((text) => /do:\d/.test(text));
  const name =
    said[at]
      ?.match(/do:\d+/g)
      ?.at(-1)
      ?.slice(3) ?? '0';
  const steps = messages.slice(at).filter(({ tool_calls }) => Array.isArray(tool_calls)).length;
  return (
    [use('write_file', { path: `w${name}` }), use('read_file', { path: `r${name}` })][steps] ?? {
      text: 'Done.',
    }
  );
};

/** What the person has said, and how much of it no server has accepted yet. */
interface Said {
  names: string[];
  pending: number;
}

const perform = async (world: TwoAgents, todo: Step, said: Said): Promise<void> => {
  const server = todo.at === 0 ? world.one : world.two;
  switch (todo.does) {
    case 'say':
    case 'steer': {
      const name = `do:${said.names.length + 1}`;
      said.names.push(name);
      said.pending += 1;
      // A server that is suspended answers once it goes on.
      const end = () => void (said.pending -= 1);
      server.say(name, { mode: todo.does === 'say' ? 'queue' : 'steer' }).then(end, (error: unknown) => {
        world.errors.push(error);
        end();
      });
      return world.clock.settle(100);
    }
    case 'answer':
      for (const { requestId } of await world.asks().catch(() => []))
        server.agent.confirm(userId, requestId, allow).catch(() => {});
      return world.clock.settle(100);
    case 'cancel':
      server.agent.cancel(userId, threadId).catch(() => {});
      return world.clock.settle(100);
    case 'suspend':
      return server.suspend();
    case 'go on':
      return server.goOn();
    case 'wait':
      return world.clock.settle(todo.ms);
  }
};

const isDone = async (world: TwoAgents, said: Said): Promise<boolean> => {
  if (said.pending > 0) return false;
  const snapshot = await world.snapshot().catch(() => null);
  if (snapshot === null) return false;
  for (const { requestId } of Object.values(snapshot.view.asks))
    world.two.agent.confirm(userId, requestId, allow).catch(() => {});
  const { status, queue } = snapshot.now;
  if (status === 'idle' && queue.length > 0)
    world.two.agent.queue.resume(userId, threadId).catch((error: unknown) => world.errors.push(error));
  const open = await world.db.selectFrom('agentCommands').selectAll().where('state', '<>', 'done').execute();
  return status === 'idle' && queue.length === 0 && open.length === 0;
};

it('two agents on one store: whatever is lost, late or suspended, each message and each call is done once', async () => {
  const plan = fc.record({
    steps: fc.array(step, { minLength: 4, maxLength: 14 }),
    fates: fc.infiniteStream(fc.constantFrom(...fates)),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ steps, fates: stream }) => {
      let isLossy = true;
      const world = await openTwoAgents(script, {
        fate: () => (isLossy ? (stream.next().value ?? 'arrives') : 'arrives'),
      });
      const said: Said = { names: [], pending: 0 };
      try {
        await perform(world, { does: 'say', at: 0, ms: 0 }, said);
        for (const todo of steps) await perform(world, todo, said);
        for (const server of [world.one, world.two]) server.goOn();
        isLossy = false;
        await world.until(() => isDone(world, said), 'the end');
        await expectWhole(world);
        const events = await world.events();
        const heard = events.flatMap(({ event }) =>
          event.type === 'user-message' ? [event.payload.text] : [],
        );
        expect(heard.toSorted()).toEqual(said.names.toSorted());
        const [starts, ends] = ['run-start', 'run-finish'].map(
          (type) => events.filter(({ event }) => event.type === type).length,
        );
        expect(starts).toBe(ends);
      } finally {
        await world.close();
      }
    }),
    { numRuns: 15 },
  );
}, 300_000);
