import { personSender, type Agent } from '@drawbridge/agent';
import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { ResponseBody } from '@drawbridge/contracts/daemon-surface';
import type { StoredEvent } from '@drawbridge/contracts/agent/events';
import type { SendInput } from '@drawbridge/contracts/agent/threads';
import type { Clock } from '@drawbridge/kit';
import { onTestFinished } from 'vitest';
import { startScriptedModel, type Script } from '../../../e2e/agent/scripted-model.ts';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { connectDaemon, requestOf, type TestDaemon } from './daemon.ts';
import { paired } from './paired.ts';

const sent = (message: string): SendInput => ({ message, attachments: [], mode: 'reject' });

/** A server with an agent whose model follows the script, and its owner. */
export const withAgent = async (script: Script, environment: Record<string, string> = {}, clock?: Clock) => {
  const model = await startScriptedModel(script);
  onTestFinished(model.close);
  const world = await paired({ AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...environment }, clock);
  const { agent } = world.server.app;
  if (!agent) throw new Error('the agent is on');
  const me = await world.panel.account.me.query();
  const userId = me?.id ?? '';
  return { ...world, model, agent, userId, ...threadOf(agent, userId) };
};

/** What a test does with one thread. */
export const threadOf = (agent: Agent, userId: string, threadId = 'thread') => {
  const events = async () => (await agent.threads.eventsAfter(userId, threadId, 0)).events;
  /** The first stored event that fits. */
  const until = <Type extends StoredEvent['type']>(
    type: Type,
    fits: (event: Extract<StoredEvent, { type: Type }>) => boolean = () => true,
  ): Promise<Extract<StoredEvent, { type: Type }>> =>
    new Promise((resolve, reject) => {
      const look = async () => {
        for (const { event } of await events())
          if (event.type === type && fits(event as Extract<StoredEvent, { type: Type }>)) {
            stop();
            return resolve(event as Extract<StoredEvent, { type: Type }>);
          }
      };
      const { stop } = agent.threads.listen(userId, threadId, () => void look().catch(() => {}));
      look().catch(() => {});
      onTestFinished(() => {
        stop();
        reject(new Error(`no ${type}`));
      });
    });
  return {
    say: (message: string, more: Partial<SendInput> = {}) =>
      agent.send(personSender(userId, 'panel'), threadId, { ...sent(message), ...more }),
    events,
    until,
    types: async () => (await events()).map(({ event }) => event.type),
    snapshot: () => agent.threads.snapshot(userId, threadId, { limit: 50 }),
  };
};

/** The same with a machine that answers. */
export const withMachine = async (
  script: Script,
  environment: Record<string, string> = {},
  announced: object = {},
) => {
  const world = await withAgent(script, environment);
  const daemon = await connectDaemon(world.server, world.token, announced);
  return { ...world, daemon };
};

/** The text of a result on the machine. */
export const resultOf = (text: string) => ({ result: { content: [{ type: 'text' as const, text }] } });

/** A machine's question before it writes. */
export const machineQuestion = {
  result: {
    isError: true,
    content: [
      {
        type: 'text' as const,
        text: confirmationText.encode({
          toolGroup: 'filesystemWrite',
          resource: '/home/person/project/a',
          description: 'Write a',
          options: ['allowOnce', 'denyOnce'],
        }),
      },
    ],
  },
};

/** The next call that reaches the machine. */
export const nextCall = async (daemon: TestDaemon) => requestOf(await daemon.stream.next());

/**
 * A machine whose journal outlives the server: a request that it knows gets the same answer again, and
 * `write_file` asks first. `written` has what `note` says of each call that ran.
 */
export const createJournal = (note: (name: string, path: string) => string[]) => {
  const answers = new Map<string, ResponseBody>();
  const written: string[] = [];
  const answerTo = ({ requestId, toolCall }: ToolRequest): ResponseBody | null => {
    const { name, arguments: args } = toolCall;
    const path = String(args['path']);
    if (path === 'endless') return null;
    if (name === 'write_file' && args['_confirmation'] === undefined) return machineQuestion;
    const known = answers.get(requestId);
    if (known) return known;
    written.push(...note(name, path));
    const body = resultOf(`${name} ${path}`);
    answers.set(requestId, body);
    return body;
  };
  return { answerTo, written };
};
