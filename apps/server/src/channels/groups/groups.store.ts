import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { toolScope, type ToolScope } from '@drawbridge/contracts/groups';
import { z } from 'zod';
import type { Schema, Store, Write } from '../../db/index.ts';

type Row = Schema['channelGroups'];
type Key = Pick<Row, 'kind' | 'conversation' | 'userId'>;

export interface StoredGroup extends Omit<Row, 'isOn' | 'groups'> {
  isOn: boolean;
  groups: ToolScope[];
}

const groupsOf = z.array(toolScope);
const read = (row: Row): StoredGroup => ({
  ...row,
  isOn: row.isOn === 1,
  groups: groupsOf.parse(JSON.parse(row.groups)),
});

/** Groups in which senders have named the bot, by the accounts of these senders. */
export const createGroupsStore = ({ db }: Pick<Store, 'db'>) => {
  const change = ({ kind, conversation, userId }: Key) =>
    db
      .updateTable('channelGroups')
      .where('kind', '=', kind)
      .where('conversation', '=', conversation)
      .where('userId', '=', userId);
  const ofUser = async (userId: string): Promise<StoredGroup[]> => {
    const all = db.selectFrom('channelGroups').selectAll().where('userId', '=', userId);
    return (await all.orderBy('seenAt', 'desc').execute()).map(read);
  };

  return {
    ofUser,
    /** The account whose senders the bot answers there; null where no account has turned it on. */
    answering: async (kind: string, conversation: string): Promise<StoredGroup | null> => {
      const on = db.selectFrom('channelGroups').selectAll().where('isOn', '=', 1).where('kind', '=', kind);
      const row = await on.where('conversation', '=', conversation).orderBy('userId').executeTakeFirst();
      return row ? read(row) : null;
    },
    /** The sender's account sees it from now on; nothing beyond 20. */
    note: async ({ title, seenAt, ...key }: Key & Pick<Row, 'title' | 'seenAt'>): Promise<Write[]> => {
      const known = await ofUser(key.userId);
      const isKnown = known.some(
        ({ kind, conversation }) => kind === key.kind && conversation === key.conversation,
      );
      if (!isKnown && known.length >= channelLimits.groupsPerUser) return [];
      const row = { ...key, title, isOn: 0, groups: '[]', seenAt };
      return [
        db
          .insertInto('channelGroups')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['kind', 'conversation', 'userId']).doUpdateSet({ title, seenAt }),
          )
          .compile(),
      ];
    },
    /** False for one that is not the account's. */
    update: async (key: Key, { isOn, groups }: Pick<StoredGroup, 'isOn' | 'groups'>): Promise<boolean> => {
      const query = change(key).set({ isOn: isOn ? 1 : 0, groups: JSON.stringify(groups) });
      return (await query.executeTakeFirstOrThrow()).numUpdatedRows > 0n;
    },
    /** With what waits in it for the account. */
    end: ({ kind, conversation, userId }: Key): Write[] => [
      change({ kind, conversation, userId }).set({ isOn: 0 }).compile(),
      db
        .deleteFrom('channelMessages')
        .where('kind', '=', kind)
        .where('conversation', '=', conversation)
        .where('userId', '=', userId)
        .compile(),
      db
        .deleteFrom('channelReplies')
        .where('kind', '=', kind)
        .where('conversation', '=', conversation)
        .where('state', 'in', ['waiting', 'sending'])
        .compile(),
    ],
    remove: ({ kind, conversation, userId }: Key): Write =>
      db
        .deleteFrom('channelGroups')
        .where('kind', '=', kind)
        .where('conversation', '=', conversation)
        .where('userId', '=', userId)
        .compile(),
  };
};

export type GroupsStore = ReturnType<typeof createGroupsStore>;
