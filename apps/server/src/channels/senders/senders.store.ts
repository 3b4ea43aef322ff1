import { type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import {
  channelAnswerLevel,
  channelSpeak,
  type ChannelAnswerLevel,
  type ChannelSpeak,
} from '@drawbridge/contracts/outside/channels';
import { toolScope, type ToolScope } from '@drawbridge/contracts/groups';
import { z } from 'zod';
import type { Schema, Store, Write } from '../../db/index.ts';

/** What the messages of a sender may do. */
export interface SenderRights {
  groups: ToolScope[];
  usesMemory: boolean;
}

type Read<Row extends { groups: string; usesMemory: number }> = Omit<Row, keyof SenderRights> & SenderRights;
export type StoredCode = Read<Schema['channelCodes']>;
export type StoredSender = Omit<Read<Schema['channelSenders']>, 'answers' | 'speak'> & {
  answers: ChannelAnswerLevel;
  speak: ChannelSpeak;
};

const groupsOf = z.array(toolScope);

const read = <Row extends { groups: string; usesMemory: number }>(row: Row): Read<Row> => ({
  ...row,
  groups: groupsOf.parse(JSON.parse(row.groups)),
  usesMemory: row.usesMemory === 1,
});

const columnsOf = ({ groups, usesMemory }: SenderRights) => ({
  groups: JSON.stringify(groups),
  usesMemory: usesMemory ? 1 : 0,
});

const createCodes = ({ db }: Pick<Store, 'db'>) => ({
  insert: async (code: StoredCode): Promise<void> => {
    await db
      .insertInto('channelCodes')
      .values({ ...code, ...columnsOf(code) })
      .execute();
  },
  ofUser: async (userId: string, now: number): Promise<StoredCode[]> => {
    const open = db.selectFrom('channelCodes').selectAll().where('userId', '=', userId);
    return (await open.where('expiresAt', '>', now).orderBy('expiresAt').execute()).map(read);
  },
  find: async (kind: ChannelKind, digest: string): Promise<StoredCode | null> => {
    const one = db.selectFrom('channelCodes').selectAll().where('digest', '=', digest);
    const row = await one.where('kind', '=', kind).executeTakeFirst();
    return row ? read(row) : null;
  },
  remove: async (userId: string, id: string): Promise<boolean> => {
    const one = db.deleteFrom('channelCodes').where('userId', '=', userId).where('id', '=', id);
    return (await one.executeTakeFirstOrThrow()).numDeletedRows > 0n;
  },
  removeAll: async (kind: ChannelKind): Promise<void> => {
    await db.deleteFrom('channelCodes').where('kind', '=', kind).execute();
  },
  removeExpired: async (now: number): Promise<void> => {
    await db.deleteFrom('channelCodes').where('expiresAt', '<=', now).execute();
  },
  /** Binds the sender, unless the code was used or removed meanwhile: then the commit fails. */
  use: ({ digest }: Pick<StoredCode, 'digest'>, sender: StoredSender): Write[] => [
    { query: db.deleteFrom('channelCodes').where('digest', '=', digest).compile(), rows: 1 },
    db
      .insertInto('channelSenders')
      .values({ ...sender, ...columnsOf(sender) })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'senderId']).doUpdateSet({ ...sender, ...columnsOf(sender) }),
      )
      .compile(),
  ],
});

const readSender = (row: Schema['channelSenders']): StoredSender => ({
  ...read(row),
  answers: channelAnswerLevel.parse(row.answers),
  speak: channelSpeak.parse(row.speak),
});

/** Codes, and the senders that they have bound. */
export const createSendersStore = ({ db }: Pick<Store, 'db'>) => ({
  codes: createCodes({ db }),
  find: async (kind: ChannelKind, senderId: string): Promise<StoredSender | null> => {
    const one = db.selectFrom('channelSenders').selectAll().where('kind', '=', kind);
    const row = await one.where('senderId', '=', senderId).executeTakeFirst();
    return row ? readSender(row) : null;
  },
  ofUser: async (userId: string): Promise<StoredSender[]> => {
    const all = db.selectFrom('channelSenders').selectAll().where('userId', '=', userId);
    return (await all.orderBy('pairedAt').execute()).map(readSender);
  },
  update: async (
    { kind, senderId, userId }: Pick<StoredSender, 'kind' | 'senderId' | 'userId'>,
    {
      name,
      answers,
      speak,
      ...rights
    }: SenderRights & Pick<StoredSender, 'name' | 'answers'> & { speak?: ChannelSpeak | undefined },
  ): Promise<boolean> => {
    const one = db
      .updateTable('channelSenders')
      .set({ name, answers, ...(speak !== undefined && { speak }), ...columnsOf(rights) });
    const { numUpdatedRows } = await one
      .where('kind', '=', kind)
      .where('senderId', '=', senderId)
      .where('userId', '=', userId)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  },
  /** `address`: of their own chat; null for a message in a group. */
  noteSeen: (kind: ChannelKind, senderId: string, seen: { at: number; address: string | null }): Write =>
    db
      .updateTable('channelSenders')
      .set({ lastSeenAt: seen.at, ...(seen.address !== null && { address: seen.address }) })
      .where('kind', '=', kind)
      .where('senderId', '=', senderId)
      .compile(),
  /** With all that waits for the sender. */
  remove: ({ kind, senderId }: Pick<StoredSender, 'kind' | 'senderId'>): Write[] => [
    db.deleteFrom('channelSenders').where('kind', '=', kind).where('senderId', '=', senderId).compile(),
    db.deleteFrom('channelMessages').where('kind', '=', kind).where('senderId', '=', senderId).compile(),
    db.deleteFrom('channelQuestions').where('kind', '=', kind).where('senderId', '=', senderId).compile(),
    db.deleteFrom('channelReplies').where('kind', '=', kind).where('senderId', '=', senderId).compile(),
  ],
  removeCodesOf: async (userId: string): Promise<void> => {
    await db.deleteFrom('channelCodes').where('userId', '=', userId).execute();
  },
});

export type SendersStore = ReturnType<typeof createSendersStore>;
