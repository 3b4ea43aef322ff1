import type { SendInput } from '@drawbridge/contracts/agent/threads';
import { expect } from 'vitest';
import type { Turn } from '../../../e2e/agent/scripted-model.ts';
import { signBody } from '../src/notify/signing.ts';
import { story, use } from './agent-turns.ts';
import { withMachine } from './agent.ts';

/** A chat whose model takes the turns that a test puts into `turns`, and else says `Done.` */
export const openSenders = async (environment: Record<string, string> = {}, announced: object = {}) => {
  const turns: Turn[] = [];
  const world = await withMachine(
    story(() => turns.shift() ?? { text: 'Done.' }, { read: [use('read_file', { path: 'a' })] }),
    environment,
    announced,
  );
  const { server, panel, agent, userId, say, until, events, snapshot } = world;
  const isIdle = () => expect.poll(async () => (await snapshot()).now.status).toBe('idle');
  /** Says it, and waits until the run has ended or asks. */
  const turn = async (message: string, more: Partial<SendInput> = {}) => {
    const sent = await say(message, more);
    const runId = 'runId' in sent ? sent.runId : '';
    await Promise.race([
      until('run-finish', (event) => event.runId === runId),
      until('confirmation-request', (event) => event.runId === runId),
    ]);
    return runId;
  };
  /** A webhook into the chat: gives the function that posts to it. */
  const openHook = async () => {
    await agent.threads.create(userId, 'thread', null);
    const hook = { name: 'deploys', groups: [], threadId: 'thread' };
    const { secret } = await panel.hooks.create.mutate(hook);
    return async (body: string) => {
      const headers = {
        'content-type': 'application/json',
        'x-hub-signature-256': signBody(secret, Buffer.from(body)),
      };
      const got = await server.send('/webhooks/deploys', { method: 'POST', headers, body });
      expect(got.status).toBe(202);
    };
  };
  const deliver = async (body: string) => {
    await (
      await openHook()
    )(body);
    await until('user-message', ({ payload }) => payload.hook === 'deploys');
    await isIdle();
  };
  /** What the newest run has asked the person about. */
  const asks = async () => {
    const all = (await events()).map(({ event }) => event);
    const last = all.findLast(({ type }) => type === 'run-start')?.runId;
    return all.flatMap((event) =>
      event.type === 'confirmation-request' && event.runId === last ? [event.payload] : [],
    );
  };
  const notes = async () => (await agent.memory.get(userId)).sections.notes;
  return { ...world, turns, turn, openHook, deliver, isIdle, asks, notes };
};

export type SenderWorld = Awaited<ReturnType<typeof openSenders>>;
