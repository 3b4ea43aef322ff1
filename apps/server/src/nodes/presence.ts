import { nodeLimits, type Presence, type PresenceParams } from '@drawbridge/contracts/rpc/nodes';
import { createBoundedMap, type BoundedMap } from '@drawbridge/kit';
import { serverDeadMs, type ThisServer } from '../gateway/index.ts';
import type { PresenceStore, SeenRow } from './presence.store.ts';

/** A sender: a person, an access token, a client or a machine, on one surface. */
export interface Sender {
  userId: string;
  /** `panel`, `ws`, `mcp`, `rest`, `hook`, `machine`, or the frontend of a session. */
  channel: string;
  senderId: string;
  senderName: string;
}

/** `open`: its open connections. */
type Seen = Omit<SeenRow, 'serverId'>;

/** A sender that another room knows. */
export interface KnownSender extends Omit<Sender, 'userId'> {
  firstSeenAt: number;
  lastSeenAt: number;
  isOpen: boolean;
}

const onlineMs = 5 * 60 * 1_000;
const mostUsers = 10_000;

const newestFirst = (one: Presence, other: Presence) => other.lastSeenAt - one.lastSeenAt;

const keyOf = ({ channel, senderId }: Seen) => `${channel}:${senderId}`;

/** What two servers have seen of one sender. */
const sumOf = (one: Seen, other: Seen): Seen => {
  const [newer, older] = one.lastSeenAt < other.lastSeenAt ? [other, one] : [one, other];
  return {
    ...newer,
    senderName: newer.senderName || older.senderName,
    firstSeenAt: Math.min(one.firstSeenAt, other.firstSeenAt),
    messageCount: one.messageCount + other.messageCount,
    open: one.open + other.open,
  };
};

interface Needs {
  server: ThisServer;
  store: PresenceStore;
  onError(error: unknown): void;
}

/** With other servers: what has changed here is written in each round, and what they have seen is read. */
const createShared = ({ server, store, onError }: Needs, all: () => Seen[]) => {
  let changed = new Set<Seen>();
  store.removeOfDead().catch(onError);
  server.bus.subscribe('all', (message) => {
    if (message.type === 'server-dead') store.removeOf(message.serverId).catch(onError);
  });
  // Its rows had the former id.
  server.onLost(() => {
    changed = new Set(all());
  });
  server.onRound(async () => {
    if (changed.size === 0) return;
    const written = changed;
    changed = new Set();
    try {
      await store.put([...written].map((seen) => ({ ...seen, serverId: server.id() })));
    } catch (error) {
      for (const seen of written) changed.add(seen);
      throw error;
    }
  });
  const others = () => ({ here: server.id(), seenSince: server.clock.now() - serverDeadMs });
  return {
    changed: (seen: Seen) => void changed.add(seen),
    ofUser: (userId: string) => store.ofUser(userId, others()),
    ofAll: () => store.ofAll(others()),
  };
};

/**
 * Who was seen when, by the database's clock: 200 senders of a user, in memory. What several servers have
 * seen is summed up; of a server that is gone nothing counts.
 */
export const createPresence = (needs: Needs) => {
  const { clock, bus } = needs.server;
  const users = createBoundedMap<string, BoundedMap<string, Seen>>({ maxEntries: mostUsers });
  const seenOf = (userId: string): Seen[] => [...(users.get(userId) ?? [])].map(([, seen]) => seen);
  const all = () => [...users].flatMap(([userId]) => seenOf(userId));
  const shared = bus.pollMs === null ? null : createShared(needs, all);

  const note = (sender: Sender, messages: number): Seen => {
    const { userId } = sender;
    const senders = users.get(userId) ?? createBoundedMap<string, Seen>({ maxEntries: nodeLimits.senders });
    users.set(userId, senders);
    const now = clock.now();
    const fresh = { ...sender, firstSeenAt: now, lastSeenAt: now, messageCount: 0, open: 0 };
    const key = keyOf(fresh);
    const seen = senders.get(key) ?? fresh;
    const senderName = sender.senderName || seen.senderName;
    Object.assign(seen, sender, { senderName, lastSeenAt: now, messageCount: seen.messageCount + messages });
    senders.set(key, seen);
    shared?.changed(seen);
    return seen;
  };

  const statusOf = ({ isOpen, lastSeenAt }: Pick<KnownSender, 'isOpen' | 'lastSeenAt'>) =>
    isOpen || clock.now() - lastSeenAt < onlineMs ? 'online' : 'offline';

  const view = ({ channel, senderId, senderName, messageCount, open, ...seen }: Seen): Presence => {
    const { firstSeenAt } = seen;
    const lastSeenAt = open > 0 ? clock.now() : seen.lastSeenAt;
    const status = statusOf({ isOpen: open > 0, lastSeenAt });
    return { channel, senderId, senderName, firstSeenAt, lastSeenAt, messageCount, status };
  };

  const summed = (own: readonly Seen[], others: readonly SeenRow[]): Presence[] => {
    const sums = new Map<string, Seen>();
    for (const seen of [...own, ...others]) {
      const key = JSON.stringify([seen.userId, keyOf(seen)]);
      const known = sums.get(key);
      sums.set(key, known ? sumOf(known, seen) : seen);
    }
    return [...sums.values()].map(view);
  };

  /** `known` adds senders that were not seen since the start, and names. A token is seen on any surface. */
  const read = (seen: Presence[], known: readonly KnownSender[], params: PresenceParams) => {
    const isSame = (one: Pick<Presence, 'channel' | 'senderId'>, other: KnownSender) =>
      one.senderId === other.senderId && (other.channel === 'token' || one.channel === other.channel);
    const all = seen.map((one) => ({
      ...one,
      senderName: one.senderName || (known.find((other) => isSame(one, other))?.senderName ?? ''),
    }));
    const others = known
      .filter((other) => !all.some((one) => isSame(one, other)))
      .map(({ isOpen, ...sender }): Presence => ({
        ...sender,
        messageCount: 0,
        status: statusOf({ isOpen, lastSeenAt: sender.lastSeenAt }),
      }));
    const { channel, status, limit } = params;
    const fitting = [...all, ...others]
      .filter((one) => (channel ?? one.channel) === one.channel && (status ?? one.status) === one.status)
      .toSorted(newestFirst);
    const online = fitting.filter((one) => one.status === 'online').length;
    return {
      presence: fitting.slice(0, limit),
      summary: { total: fitting.length, online, offline: fitting.length - online },
    };
  };

  return {
    /** The sender has sent a message or made a call. */
    sent: (sender: Sender) => void note(sender, 1),
    /** The sender has opened a connection; the returned function closes it. */
    opened: (sender: Sender): (() => void) => {
      const seen = note(sender, 0);
      seen.open += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        seen.open -= 1;
        seen.lastSeenAt = clock.now();
        shared?.changed(seen);
      };
    },
    /** The senders of a user, the last seen first; the summary counts all that fit. */
    ofUser: async (userId: string, known: readonly KnownSender[], params: PresenceParams) =>
      read(summed(seenOf(userId), (await shared?.ofUser(userId)) ?? []), known, params),
    /** The same of every user. */
    ofAll: async (params: PresenceParams) => read(summed(all(), (await shared?.ofAll()) ?? []), [], params),
  };
};

export type PresenceOfServer = ReturnType<typeof createPresence>;
