import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { OutdatedError, type Durability, type Schema, type Store, type Write } from '../../db/index.ts';

export { isStoreTrouble } from '../../db/index.ts';

export type StoredMessage = Schema['channelMessages'];
export type StoredReply = Schema['channelReplies'];

/** One conversation of a platform. */
export type ConversationKey = Pick<StoredMessage, 'kind' | 'conversation'>;

const createReplies = ({ db, commit }: Pick<Store, 'db' | 'commit'>) => ({
  /** A reply of this id that is there already stays as it is. */
  insert: (reply: StoredReply): Write =>
    db
      .insertInto('channelReplies')
      .values(reply)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .compile(),
  find: async (id: string): Promise<StoredReply | null> =>
    (await db.selectFrom('channelReplies').selectAll().where('id', '=', id).executeTakeFirst()) ?? null,
  /** The text of a message that the bot has sent, of a draft that of the answer; null for another one. */
  said: async ({ kind, conversation }: ConversationKey, messageId: string): Promise<string | null> => {
    const all = db.selectFrom('channelReplies').selectAll().where('kind', '=', kind);
    const inChat = all.where('conversation', '=', conversation);
    const sent = await inChat
      .where('messageId', '=', messageId)
      .orderBy('createdAt', 'desc')
      .executeTakeFirst();
    if (!sent) return null;
    return (await inChat.where('edits', '=', sent.id).executeTakeFirst())?.text ?? sent.text;
  },
  /** What is not sent yet, in order: what is read out, or all else. */
  waiting: ({ kind, conversation }: ConversationKey, isSpoken: boolean): Promise<StoredReply[]> =>
    db
      .selectFrom('channelReplies')
      .selectAll()
      .where('state', 'in', ['waiting', 'sending'])
      .where('kind', '=', kind)
      .where('conversation', '=', conversation)
      .where('isSpoken', '=', isSpoken ? 1 : 0)
      .orderBy('createdAt')
      .orderBy('part')
      .execute(),
  conversationsWaiting: (): Promise<ConversationKey[]> =>
    db
      .selectFrom('channelReplies')
      .select(['kind', 'conversation'])
      .distinct()
      .where('state', 'in', ['waiting', 'sending'])
      .execute(),
  /** False where it was removed meanwhile. */
  move: async (
    id: string,
    to: Pick<StoredReply, 'state' | 'problem'> & Partial<Pick<StoredReply, 'messageId' | 'sentAt'>>,
  ): Promise<boolean> => {
    const query = db.updateTable('channelReplies').set(to).where('id', '=', id);
    const { numUpdatedRows } = await query.executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  },
  /** The conversation takes nothing any more. */
  drop: async ({ kind, conversation }: ConversationKey, problem: string): Promise<void> => {
    const dropped = db
      .updateTable('channelReplies')
      .set({ state: 'failed', problem })
      .where('state', 'in', ['waiting', 'sending'])
      .where('kind', '=', kind)
      .where('conversation', '=', conversation);
    await commit([dropped.compile()], 'kept');
  },
});

/** Which messages had a voice message. */
const createSpoken = ({ db }: Pick<Store, 'db'>) => ({
  note: async ({ kind, updateId }: Pick<StoredMessage, 'kind' | 'updateId'>): Promise<void> => {
    const one = db.updateTable('channelMessages').set({ isSpoken: 1 }).where('kind', '=', kind);
    await one.where('updateId', '=', updateId).execute();
  },
  has: async ({ kind, updateId }: Pick<StoredMessage, 'kind' | 'updateId'>): Promise<boolean> => {
    const all = db.selectFrom('channelMessages').select('isSpoken').where('kind', '=', kind);
    return (await all.where('updateId', '=', updateId).executeTakeFirst())?.isSpoken === 1;
  },
});

const createConversations = ({ db }: Pick<Store, 'db'>) => ({
  /** Conversations of an account, with when the first and the last message that is kept was received. */
  ofUser: async (userId: string) => {
    const all = db.selectFrom('channelMessages').where('userId', '=', userId);
    const rows = await all
      .select(['kind', 'conversation'])
      .select(({ fn }) => [fn.min('receivedAt').as('first'), fn.max('receivedAt').as('last')])
      .groupBy(['kind', 'conversation'])
      .execute();
    return rows.map(({ first, last, ...key }) => ({ ...key, first: Number(first), last: Number(last) }));
  },
  newest: async ({ kind, conversation }: ConversationKey): Promise<StoredMessage | null> =>
    (await db
      .selectFrom('channelMessages')
      .selectAll()
      .where('kind', '=', kind)
      .where('conversation', '=', conversation)
      .orderBy('receivedAt', 'desc')
      .limit(1)
      .executeTakeFirst()) ?? null,
  /** Accounts of which a message is kept. */
  users: async (): Promise<string[]> => {
    const all = await db.selectFrom('channelMessages').select('userId').distinct().execute();
    return all.map(({ userId }) => userId);
  },
});

const createStates = ({ db }: Pick<Store, 'db'>) => {
  const move =
    (state: 'accepted' | 'answered') =>
    ({ kind, updateId }: Pick<StoredMessage, 'kind' | 'updateId'>): Write => ({
      query: db
        .updateTable('channelMessages')
        .set({ state })
        .where('kind', '=', kind)
        .where('updateId', '=', updateId)
        .where('state', '=', 'accepted')
        .compile(),
      rows: 1,
    });
  return {
    /** Fails the commit where the message has its answer, or was removed. */
    answered: move('answered'),
    /** The same, and changes nothing. */
    unanswered: move('accepted'),
  };
};

/** What was written in conversations, and what goes back. */
export const createMessagesStore = ({ db, commit }: Pick<Store, 'db' | 'commit'>) => ({
  /** Writes all, or nothing: false where a row for one of the writes is gone. */
  commit: async (writes: readonly Write[], durability: Durability): Promise<boolean> => {
    try {
      await commit(writes, durability);
      return true;
    } catch (error) {
      if (error instanceof OutdatedError) return false;
      throw error;
    }
  },
  replies: createReplies({ db, commit }),
  spoken: createSpoken({ db }),
  conversations: createConversations({ db }),
  /** A platform delivers an update more than once: the first one counts. */
  insert: (message: StoredMessage): Write =>
    db
      .insertInto('channelMessages')
      .values(message)
      .onConflict((conflict) => conflict.columns(['kind', 'updateId']).doNothing())
      .compile(),
  /** Whether the update was stored, or answered at once, by a reply of this id. */
  isKnown: async ({ kind, updateId }: Pick<StoredMessage, 'kind' | 'updateId'>, replyId: string) => {
    const [message, reply] = await Promise.all([
      db
        .selectFrom('channelMessages')
        .select('updateId')
        .where('kind', '=', kind)
        .where('updateId', '=', updateId)
        .executeTakeFirst(),
      db.selectFrom('channelReplies').select('id').where('id', '=', replyId).executeTakeFirst(),
    ]);
    return message !== undefined || reply !== undefined;
  },
  /** Those without an answer, in order. */
  accepted: ({ kind, conversation }: ConversationKey): Promise<StoredMessage[]> =>
    db
      .selectFrom('channelMessages')
      .selectAll()
      .where('state', '=', 'accepted')
      .where('kind', '=', kind)
      .where('conversation', '=', conversation)
      .orderBy('receivedAt')
      .execute(),
  conversationsAccepted: (): Promise<ConversationKey[]> =>
    db
      .selectFrom('channelMessages')
      .select(['kind', 'conversation'])
      .distinct()
      .where('state', '=', 'accepted')
      .execute(),
  ...createStates({ db }),
  facts: async (kind: ChannelKind): Promise<{ lastMessageAt: number | null; waiting: number }> => {
    const all = db.selectFrom('channelMessages').where('kind', '=', kind);
    const [{ last }, { count }] = await Promise.all([
      all.select((select) => select.fn.max('receivedAt').as('last')).executeTakeFirstOrThrow(),
      all
        .where('state', '=', 'accepted')
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow(),
    ]);
    return { lastMessageAt: last === null ? null : Number(last), waiting: Number(count) };
  },
  forget: async (before: number): Promise<void> => {
    await db
      .deleteFrom('channelMessages')
      .where('state', '=', 'answered')
      .where('receivedAt', '<', before)
      .execute();
    await db
      .deleteFrom('channelReplies')
      .where('state', 'in', ['sent', 'failed'])
      .where('createdAt', '<', before)
      .execute();
  },
});

export type MessagesStore = ReturnType<typeof createMessagesStore>;
