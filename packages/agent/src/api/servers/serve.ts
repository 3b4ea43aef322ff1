import { CodedError, createKeyedQueue, createSerialQueue } from '@drawbridge/kit';
import { notAttended, type Held } from '../../engine/driving.ts';
import type { LaneRequest, RequestEnd, RequestEvent } from '../../engine/lanes/request.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { AgentServers } from '../../ports/servers.ts';
import { ElsewhereError, errors } from '../../rows/errors.ts';
import { keyOf } from '../../rows/keys.ts';
import type { CommandRow } from '../../rows/rows.ts';
import { update } from '../../rows/store.ts';
import { readReply, type Reply, writeReply } from './reply.ts';

/** What a command leads to: a value, or a message that goes on. */
export type Done = { value: unknown } | { request: LaneRequest };

/** Its sender has given up: no server has worked on the thread. */
const oldestMs = 60_000;

interface Needs extends Pick<AgentNeeds, 'clock' | 'onError'> {
  servers: Pick<AgentServers, 'replied' | 'coded'>;
  run(held: Held, command: CommandRow): Promise<Done>;
}

/** After these a message does not wait again. */
const settled = new Set<RequestEvent['type']>(['started', 'merged']);

/** A driver that follows another one repeats what has happened, which the sender may have already. */
const isNew = (events: readonly RequestEvent[], event: RequestEvent): boolean => {
  // Who was steered into a run that ended first waits again; who has started or was merged does not.
  if (event.type === 'queued')
    return events.at(-1)?.type !== 'queued' && !events.some(({ type }) => settled.has(type));
  const nameOf = (one: RequestEvent) => ('runId' in one ? `${one.type} ${one.runId}` : JSON.stringify(one));
  return events.every((one) => nameOf(one) !== nameOf(event));
};

/** Does what other servers ask of the threads that this one drives. */
export const createServing = ({ servers, run, clock, onError }: Needs) => {
  const queue = createKeyedQueue();
  /** Messages whose end is brought to their rows, by their threads. */
  const followed = new WeakMap<Held, Set<string>>();

  const failed = (held: Held, error: unknown) => {
    // A server that has just gone on is not sure yet that it still drives the thread.
    held.driven.wakes = notAttended;
    onError(error);
  };

  const write = async (
    { ctx }: Held,
    { userId, threadId, id, senderId }: CommandRow,
    { state, ...reply }: Partial<Reply> & { state: 'accepted' | 'done' },
  ): Promise<void> => {
    const set = { state, reply: writeReply(reply) };
    if (await ctx.store.commit([update('agentCommands', { userId, threadId, id }, set)], 'synced'))
      servers.replied(senderId, id);
  };

  const follow = async (held: Held, row: CommandRow, request: LaneRequest): Promise<void> => {
    // The sender has these from an earlier driver: new ones come after them.
    const events = row.reply === null ? [] : readReply(row.reply).events;
    const inTurn = createSerialQueue();
    let end: RequestEnd | undefined;
    const save = () =>
      inTurn(() =>
        write(held, row, {
          value: request.requestId,
          events,
          ...(end && { end }),
          state: end ? 'done' : 'accepted',
        }),
      );
    let isFirst = true;
    request.listen((event) => {
      if (isNew(events, event)) events.push(event);
      if (!isFirst) save().catch(onError);
    });
    isFirst = false;
    end = (await Promise.race([request.done, null])) ?? undefined;
    await save();
    if (end) return;
    const onEnd = async () => {
      end = await request.done;
      await save();
    };
    onEnd().catch((error: unknown) => {
      followed.get(held)?.delete(row.id);
      failed(held, error);
    });
  };

  const serveOne = async (held: Held, row: CommandRow): Promise<void> => {
    try {
      if (row.state === 'open' && clock.now() - row.createdAt > oldestMs)
        throw errors.storeUnavailable({ message: 'No server could do this in time', fix: 'Try it again.' });
      const done = await run(held, row);
      if ('value' in done) return await write(held, row, { value: done.value, state: 'done' });
      const all = followed.get(held) ?? new Set<string>();
      followed.set(held, all.add(row.id));
      await follow(held, row, done.request);
    } catch (error) {
      if (error instanceof ElsewhereError) throw error;
      followed.get(held)?.delete(row.id);
      // It goes on, and its sender waits for its end alone.
      if (row.state === 'accepted') return failed(held, error);
      if (!(error instanceof CodedError)) onError(error);
      await write(held, row, { error: servers.coded(error), state: 'done' });
    }
  };

  /** In the order of their arrival. */
  const serveAll = async (held: Held): Promise<void> => {
    const { userId, threadId, ctx, lost } = held;
    const open = { userId, threadId, state: ['open', 'accepted'] } as const;
    const rows = await ctx.store.find('agentCommands', open, { orderBy: 'createdAt', isLenient: true });
    for (const row of rows)
      if (!lost.aborted && followed.get(held)?.has(row.id) !== true) await serveOne(held, row);
  };

  return {
    serve: (held: Held) =>
      void queue.run(keyOf(held), () => serveAll(held)).catch((error: unknown) => failed(held, error)),
  };
};
