import { nodeLimits, type Presence, type PresenceParams } from '@drawbridge/contracts/rpc/nodes';
import { createBoundedMap, type BoundedMap, type Clock } from '@drawbridge/kit';

/** A sender: a person, an access token, a client or a machine, on one surface. */
export interface Sender {
  userId: string;
  /** `panel`, `ws`, `mcp`, `rest`, `hook`, `machine`, or the frontend of a session. */
  channel: string;
  senderId: string;
  senderName: string;
}

interface Seen extends Sender {
  firstSeenAt: number;
  lastSeenAt: number;
  messageCount: number;
  /** Its open connections. */
  open: number;
}

/** A sender that another room knows. */
export interface KnownSender extends Omit<Sender, 'userId'> {
  firstSeenAt: number;
  lastSeenAt: number;
  isOpen: boolean;
}

const onlineMs = 5 * 60 * 1_000;
const mostUsers = 10_000;

const newestFirst = (one: Presence, other: Presence) => other.lastSeenAt - one.lastSeenAt;

/** Who was seen when, in memory, by the server's clock: 200 senders of a user. */
export const createPresence = (clock: Clock) => {
  const users = createBoundedMap<string, BoundedMap<string, Seen>>({ maxEntries: mostUsers });

  const note = (sender: Sender, messages: number): Seen => {
    const { userId, channel, senderId } = sender;
    const senders = users.get(userId) ?? createBoundedMap<string, Seen>({ maxEntries: nodeLimits.senders });
    users.set(userId, senders);
    const now = clock.now();
    const key = `${channel}:${senderId}`;
    const seen = senders.get(key) ?? {
      ...sender,
      firstSeenAt: now,
      lastSeenAt: now,
      messageCount: 0,
      open: 0,
    };
    const senderName = sender.senderName || seen.senderName;
    Object.assign(seen, sender, { senderName, lastSeenAt: now, messageCount: seen.messageCount + messages });
    senders.set(key, seen);
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

  const viewsOf = (userId: string): Presence[] =>
    [...(users.get(userId) ?? [])].map(([, seen]) => view(seen));

  /** `known` adds senders that were not seen since the start. */
  const read = (all: Presence[], known: readonly KnownSender[], params: PresenceParams) => {
    const ids = new Set(all.map(({ senderId }) => senderId));
    const others = known
      .filter(({ senderId }) => !ids.has(senderId))
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
      };
    },
    /** The senders of a user, the last seen first; the summary counts all that fit. */
    ofUser: (userId: string, known: readonly KnownSender[], params: PresenceParams) =>
      read(viewsOf(userId), known, params),
    /** The same of every user. */
    ofAll: (params: PresenceParams) =>
      read(
        [...users].flatMap(([userId]) => viewsOf(userId)),
        [],
        params,
      ),
  };
};

export type PresenceOfServer = ReturnType<typeof createPresence>;
