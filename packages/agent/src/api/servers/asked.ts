import type { LaneRequest, RequestEnd, RequestEvent } from '../../engine/lanes/request.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { errors } from '../../rows/errors.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { increase, insert, remove } from '../../rows/store.ts';
import { readReply, type Reply } from './reply.ts';

/** A command for the driver of a thread. */
export interface Command {
  id: string;
  kind: string;
  body: unknown;
}

interface Needs extends Pick<AgentNeeds, 'store' | 'clock' | 'onError'> {
  here(): string;
  notify(key: ThreadKey): Promise<void>;
}

/** How often a row is read whose hint may be lost. */
const lookEveryMs = 500;

/** Its thread was removed. */
export const gone: RequestEnd = {
  outcome: 'cancelled',
  runId: null,
  content: '',
  isForced: false,
  isReplayed: false,
};

/** A request that another server processes, as its command's row says. */
const createRelayed = (requestId: string, onError: (error: unknown) => void) => {
  const events: RequestEvent[] = [];
  const listeners = new Set<(event: RequestEvent) => void>();
  const ended = Promise.withResolvers<RequestEnd>();
  const tell = (listener: (event: RequestEvent) => void, event: RequestEvent) => {
    try {
      listener(event);
    } catch (error) {
      onError(error);
    }
  };
  const request: LaneRequest = {
    requestId,
    done: ended.promise,
    listen: (listener) => {
      for (const event of events) listener(event);
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    request,
    update: ({ events: all, end }: Reply) => {
      for (const event of all.slice(events.length)) {
        events.push(event);
        for (const listener of listeners) tell(listener, event);
      }
      if (end) ended.resolve(end);
    },
  };
};

interface Waiting {
  key: ThreadKey;
  /** The row is gone with its thread when null. */
  onReply(reply: Reply | null): void;
}

/** Stores a command for the driver. Throws `notFound`. */
const ask = async (
  { store, clock, here, notify }: Needs,
  key: ThreadKey,
  { id, kind, body }: Command,
): Promise<void> => {
  const { userId, threadId } = key;
  const row = { userId, threadId, id, kind, body: JSON.stringify(body), senderId: here() };
  const isStored = await store.commit(
    [
      increase('agentThreads', { userId, id: threadId }, { wakes: 1 }),
      insert('agentCommands', { ...row, state: 'open', reply: null, createdAt: clock.now() }),
    ],
    'synced',
  );
  if (!isStored) throw errors.notFound({ message: 'There is no such thread' });
  await notify(key);
};

/** The commands of this server that other servers have not done yet. */
export const createAsked = (needs: Needs) => {
  const { store, clock, onError } = needs;
  const waiting = new Map<string, Waiting>();
  let stopLooking: (() => void) | null = null;

  const forget = (id: string) => {
    waiting.delete(id);
    if (waiting.size > 0) return;
    stopLooking?.();
    stopLooking = null;
  };

  const look = async (id: string): Promise<void> => {
    const entry = waiting.get(id);
    if (!entry) return;
    const where = { ...entry.key, id };
    const [row] = await store.find('agentCommands', where);
    if (!waiting.has(id) || row?.state === 'open') return;
    const isDone = row?.state !== 'accepted';
    if (isDone) forget(id);
    const text = row?.reply ?? null;
    entry.onReply(text === null ? null : readReply(text));
    if (row && isDone) await store.commit([remove('agentCommands', where)], 'kept');
  };
  const lookAtAll = () => {
    for (const id of waiting.keys()) look(id).catch(onError);
  };

  /** Resolves to the first reply. */
  const send = async (
    key: ThreadKey,
    command: Command,
    onLater: (reply: Reply | null) => void,
  ): Promise<Reply | null> => {
    await ask(needs, key, command);
    const first = Promise.withResolvers<Reply | null>();
    let isFirst = true;
    waiting.set(command.id, {
      key: { userId: key.userId, threadId: key.threadId },
      onReply: (reply) => {
        if (isFirst) first.resolve(reply);
        else onLater(reply);
        isFirst = false;
      },
    });
    stopLooking ??= clock.every(lookEveryMs, lookAtAll);
    await look(command.id);
    return first.promise;
  };

  const requireReply = (reply: Reply | null): Reply => {
    if (reply === null) throw errors.notFound({ message: 'There is no such thread' });
    if (reply.error) throw reply.error;
    return reply;
  };

  return {
    /** Resolves to what the driver gives; throws what it throws. */
    run: async (key: ThreadKey, command: Command): Promise<unknown> =>
      requireReply(await send(key, command, () => {})).value,
    /** The same for a message: it is accepted, and goes on. */
    request: async (key: ThreadKey, command: Command): Promise<LaneRequest> => {
      let newest: Reply | null = null;
      let onNewer = (reply: Reply): void => void (newest = reply);
      const onLater = (reply: Reply | null) => onNewer(reply ?? { events: [], end: gone });
      const first = requireReply(await send(key, command, onLater));
      // Of a repeated message it is the id of the first one.
      const { request, update } = createRelayed(String(first.value), onError);
      onNewer = update;
      update(newest ?? first);
      return request;
    },
    onHint: (id: string) => void look(id).catch(onError),
    stop: () => {
      waiting.clear();
      stopLooking?.();
    },
  };
};
