import {
  personSender,
  type Agent,
  type LaneInput,
  type LaneRequest,
  type RequestEvent,
} from '@drawbridge/agent';
import type { ScriptedRequest, Turn } from '../../../e2e/agent/scripted-model.ts';
import { isHelper } from './agent-turns.ts';

/** The last order in a request: messages in a row reach the model as one. */
const lastOrder = ({ body }: ScriptedRequest): { verb: string; name: string } => {
  const said = body.messages.findLast(({ role }) => role === 'user')?.content;
  const [, verb = '', name = 'it'] =
    [...JSON.stringify(said ?? '').matchAll(/(hold|say|ask|use|fail) (\w+)/g)].at(-1) ?? [];
  return { verb, name };
};

/**
 * Answers `End of x.`: to `say x`, to `hold x` once `x` is released, to `ask x` after a question, to `use x`
 * after a tool. `fail x` is an error of the model.
 */
export const createHeldModel = () => {
  const held = new Map<string, PromiseWithResolvers<void>>();
  let isOpen = false;
  const gate = (name: string): PromiseWithResolvers<void> => {
    const made = held.get(name) ?? Promise.withResolvers<void>();
    if (isOpen) made.resolve();
    held.set(name, made);
    return made;
  };
  const script = (request: ScriptedRequest): Turn => {
    if (isHelper(request)) return { text: 'Title' };
    const { verb, name } = lastOrder(request);
    const text = `End of ${name}.`;
    if (verb === 'hold') return { text, until: gate(name).promise };
    if (verb === 'fail') return { status: 400 };
    if (verb === 'say' || request.body.messages.at(-1)?.role === 'tool') return { text };
    if (verb === 'use') return { calls: [{ name: 'canvas_get', arguments: {} }] };
    if (isOpen) return { text };
    const questions = [{ id: 'q', question: 'Which?', type: 'text' }];
    return { calls: [{ name: 'ask-user', arguments: { questions } }] };
  };
  return {
    script,
    release: (name: string) => gate(name).resolve(),
    /** Nothing is held or asked from now on. */
    releaseAll: () => {
      isOpen = true;
      for (const { resolve } of held.values()) resolve();
    },
  };
};

/** The events of a request, then its outcome. */
export const outcomesOf = async ({ done, listen }: LaneRequest): Promise<string[]> => {
  const events: RequestEvent[] = [];
  listen((event) => events.push(event));
  const end = await done;
  return [
    ...events.map((event) => (event.type === 'queued' ? `queued ${event.position}` : event.type)),
    end.outcome,
  ];
};

/** What a test does with one lane as a person's client. */
export const laneOf = (agent: Agent, userId: string, threadId = 'lane') => {
  const sender = personSender(userId, 'ws');
  return {
    send: (text: string, more: Partial<LaneInput> = {}) =>
      agent.lanes.send(sender, threadId, { text, ...more }),
    cancel: (requestId?: string) => agent.lanes.cancel(userId, threadId, { requestId }),
    command: (text: string) => agent.lanes.command(sender, threadId, text),
    /** The messages of the thread's runs, each run with its messages. */
    runs: async (): Promise<string[]> => {
      const { view } = await agent.threads.snapshot(userId, threadId, { limit: 50 });
      return view.runs.map(({ id, status }) => {
        const said = Object.values(view.messages).filter(({ runId }) => runId === id);
        return `${said.map(({ text }) => text).join('+')} ${status}`;
      });
    },
  };
};
