import { defaultLanePolicy } from '@drawbridge/contracts/agent/lanes';
import type { RpcSession, RpcMessage } from '@drawbridge/contracts/rpc/sessions';
import { rpcSessionId } from '@drawbridge/contracts/rpc/protocol';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import type { NamedThread, SessionsStore } from './sessions.store.ts';

/** Who uses a session: a user, and the namespace of its names, `person` or `token:<id>`. */
export interface SessionUser {
  userId: string;
  principal: string;
}

/** A session is a thread of the agent by the name that its user gave it. */
export interface NamedSession {
  sessionId: string;
  threadId: string;
}

const person = 'person';
/** Names threads of a user that were made elsewhere: in the panel, or with a token. */
const otherPrefix = 'thread:';
const unprefixed = 'ws';
const orphanMs = 24 * 60 * 60 * 1_000;

/** Where a session belongs: the text before its first colon, `ws` without one. */
export const frontendOf = (sessionId: string): string =>
  /^(?<frontend>[a-z][a-z0-9_-]*):/.exec(sessionId)?.groups?.frontend ?? unprefixed;

/** The name of a thread for a user of sessions; null where it is not theirs to see. */
const nameFor = ({ principal }: SessionUser, thread: NamedThread): string | null => {
  if (thread.principal === principal) return thread.sessionId;
  return principal === person ? otherPrefix + thread.threadId : null;
};

interface Needs {
  store: SessionsStore;
  clock: Clock;
}

export interface ListInput {
  frontend?: string | undefined;
  limit: number;
  offset: number;
  /** Only those of the names, and those with an open run; all when undefined. */
  onlyOpen?: ReadonlySet<string> | undefined;
}

const createReads = (store: SessionsStore) => {
  /** The session of that name, whose thread exists. */
  const find = async (user: SessionUser, sessionId: string): Promise<NamedSession | null> => {
    const { userId, principal } = user;
    const named = await store.byName({ ...user, sessionId });
    const isOther = !named && principal === person && sessionId.startsWith(otherPrefix);
    const threadId = isOther ? sessionId.slice(otherPrefix.length) : named?.threadId;
    if (threadId === undefined || !(await store.thread(userId, threadId))) return null;
    return { sessionId, threadId };
  };

  const describe = async (
    { userId }: SessionUser,
    { sessionId, threadId }: NamedSession,
  ): Promise<RpcSession> => {
    const [thread, messageCount] = await Promise.all([
      store.thread(userId, threadId),
      store.countMessages(userId, threadId),
    ]);
    return {
      id: sessionId,
      frontend: frontendOf(sessionId),
      userId,
      messageCount,
      lastMessageAt: thread?.updatedAt ?? 0,
      config: {
        modelTier: 'main',
        queue: { ...defaultLanePolicy, ...thread?.overrides },
        elevation: { active: false, untilMs: null },
      },
    };
  };

  return { find, describe };
};

/**
 * The names of the agent's threads at the JSON-RPC door. A token sees what was made with it; a person sees
 * every thread of theirs.
 */
export const createSessions = ({ store, clock }: Needs) => {
  const { find, describe } = createReads(store);

  return {
    find,
    /** The session of that name, also before its thread exists. Null for a name that is not to be given. */
    claim: async (user: SessionUser, sessionId: string): Promise<NamedSession | null> => {
      const known = await find(user, sessionId);
      if (known) return known;
      const isReserved = user.principal === person && sessionId.startsWith(otherPrefix);
      if (isReserved || !rpcSessionId.safeParse(sessionId).success) return null;
      await store.add({ ...user, sessionId, threadId: nanoid(), createdAt: clock.now() });
      const row = await store.byName({ ...user, sessionId });
      return row ? { sessionId, threadId: row.threadId } : null;
    },
    /** The name of a thread for a user; null where it is not theirs to see. */
    nameOf: async (user: SessionUser, threadId: string): Promise<string | null> => {
      const row = await store.byThread(user.userId, threadId);
      return nameFor(user, {
        threadId,
        sessionId: row?.sessionId ?? null,
        principal: row?.principal ?? null,
      });
    },
    list: async (
      user: SessionUser,
      { frontend, limit, offset, onlyOpen }: ListInput,
    ): Promise<{ sessions: RpcSession[]; total: number }> => {
      const threads = await store.threads(user.userId);
      const running = onlyOpen && (await store.withOpenRun(user.userId));
      const named = threads.flatMap((thread) => {
        const sessionId = nameFor(user, thread);
        if (sessionId === null) return [];
        if (frontend !== undefined && frontendOf(sessionId) !== frontend) return [];
        const isShown = !onlyOpen || onlyOpen.has(sessionId) || running?.has(thread.threadId) === true;
        return isShown ? [{ sessionId, threadId: thread.threadId }] : [];
      });
      const page = named.slice(offset, offset + limit);
      return {
        sessions: await Promise.all(page.map((one) => describe(user, one))),
        total: named.length,
      };
    },
    thread: store.thread,
    /** The newest messages, or those before one, oldest first. */
    messages: async (
      { userId }: SessionUser,
      threadId: string,
      page: { before?: number | undefined; limit: number },
    ): Promise<{ messages: RpcMessage[]; total: number }> => {
      const [newest, total] = await Promise.all([
        store.messages({ userId, threadId }, page),
        store.countMessages(userId, threadId),
      ]);
      return { messages: newest.toReversed(), total };
    },
    remove: (userId: string, threadId: string) => store.remove(userId, threadId),
    /** Deletes names whose thread is gone. */
    forgetOld: () => store.forget(clock.now() - orphanMs),
  };
};

export type Sessions = ReturnType<typeof createSessions>;
