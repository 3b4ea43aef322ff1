import { channelAnswer, type ChannelAnswer } from '@drawbridge/contracts/outside/channels';
import { z } from 'zod';
import type { Schema, Store, Write } from '../../db/index.ts';

type Row = Schema['channelQuestions'];

/** A question that a chat shows with buttons. `sentAt`, `messageId`: null until the platform has it. */
export interface StoredQuestion extends Omit<Row, 'offers' | 'answer'> {
  offers: ChannelAnswer[];
  answer: ChannelAnswer | null;
  text: string;
  sentAt: number | null;
  messageId: string | null;
}

export type NewQuestion = Omit<StoredQuestion, 'answer' | 'state' | 'text' | 'sentAt' | 'messageId'>;

const offersOf = z.array(channelAnswer);
const isOpen = ['open', 'pressed'] as const;

/** Questions with buttons, by the replies that show them. */
export const createQuestionsStore = ({ db }: Pick<Store, 'db'>) => {
  const all = () =>
    db
      .selectFrom('channelQuestions')
      .innerJoin('channelReplies', 'channelReplies.id', 'channelQuestions.id')
      .selectAll('channelQuestions')
      .select(['channelReplies.text', 'channelReplies.sentAt', 'channelReplies.messageId']);
  type Found = Omit<StoredQuestion, 'offers' | 'answer'> & Pick<Row, 'offers' | 'answer'>;
  const read = (row: Found): StoredQuestion => ({
    ...row,
    offers: offersOf.parse(JSON.parse(row.offers)),
    answer: channelAnswer.nullable().parse(row.answer),
  });
  const change = (id: string) => db.updateTable('channelQuestions').where('id', '=', id);

  return {
    /** One of this id that is there already stays as it is. */
    insert: ({ offers, ...question }: NewQuestion): Write =>
      db
        .insertInto('channelQuestions')
        .values({ ...question, offers: JSON.stringify(offers), state: 'open', answer: null })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .compile(),
    find: async (id: string): Promise<StoredQuestion | null> => {
      const row = await all().where('channelQuestions.id', '=', id).executeTakeFirst();
      return row ? read(row) : null;
    },
    byToken: async (tokenDigest: string): Promise<StoredQuestion | null> => {
      const row = await all().where('tokenDigest', '=', tokenDigest).executeTakeFirst();
      return row ? read(row) : null;
    },
    /** The ids of those whose message still has buttons. */
    open: async (where: Partial<Pick<Row, 'userId' | 'askId'>> = {}): Promise<string[]> => {
      let query = db.selectFrom('channelQuestions').select('id').where('state', 'in', isOpen);
      if (where.userId !== undefined) query = query.where('userId', '=', where.userId);
      if (where.askId !== undefined) query = query.where('askId', '=', where.askId);
      return (await query.execute()).map(({ id }) => id);
    },
    /** Fails the commit where it was pressed or closed before. */
    press: (id: string, answer: ChannelAnswer): Write => ({
      query: change(id).set({ state: 'pressed', answer }).where('state', '=', 'open').compile(),
      rows: 1,
    }),
    /** Fails the commit where it was closed before. */
    close: (id: string): Write => ({
      query: change(id).set({ state: 'closed' }).where('state', 'in', isOpen).compile(),
      rows: 1,
    }),
    forget: async (before: number): Promise<void> => {
      await db.deleteFrom('channelQuestions').where('createdAt', '<', before).execute();
    },
  };
};

export type QuestionsStore = ReturnType<typeof createQuestionsStore>;
