import {
  channelRuleDo,
  channelRuleWhen,
  type ChannelRule,
} from '@drawbridge/contracts/outside/channel-rules';
import type { Schema, Store, Write } from '../../db/index.ts';

type Row = Schema['channelRules'];

const read = ({ id, isOn, condition, effect }: Row): ChannelRule => ({
  id,
  isOn: isOn === 1,
  when: channelRuleWhen.parse(JSON.parse(condition)),
  do: channelRuleDo.parse(JSON.parse(effect)),
});

const columnsOf = ({ isOn, when, do: effect }: Omit<ChannelRule, 'id'>) => ({
  isOn: isOn ? 1 : 0,
  condition: JSON.stringify(when),
  effect: JSON.stringify(effect),
});

/** Rules of accounts, in their order. */
export const createRulesStore = ({ db, commit }: Pick<Store, 'db' | 'commit'>) => {
  const place = (userId: string, id: string, position: number): Write =>
    db
      .updateTable('channelRules')
      .set({ position })
      .where('id', '=', id)
      .where('userId', '=', userId)
      .compile();

  return {
    ofUser: async (userId: string): Promise<ChannelRule[]> => {
      const all = db.selectFrom('channelRules').selectAll().where('userId', '=', userId);
      return (await all.orderBy('position').orderBy('id').execute()).map(read);
    },
    insert: async (userId: string, rule: ChannelRule, position: number): Promise<void> => {
      const row = { id: rule.id, userId, position, ...columnsOf(rule) };
      await db.insertInto('channelRules').values(row).execute();
    },
    /** False for one that is not the user's. */
    update: async (userId: string, { id, ...to }: ChannelRule): Promise<boolean> => {
      const one = db.updateTable('channelRules').set(columnsOf(to)).where('userId', '=', userId);
      return (await one.where('id', '=', id).executeTakeFirstOrThrow()).numUpdatedRows > 0n;
    },
    remove: async (userId: string, id: string): Promise<boolean> => {
      const one = db.deleteFrom('channelRules').where('userId', '=', userId).where('id', '=', id);
      return (await one.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },
    order: (userId: string, ids: readonly string[]): Promise<void> =>
      commit(
        ids.map((id, position) => place(userId, id, position)),
        'kept',
      ),
    removeUser: async (userId: string): Promise<void> => {
      await db.deleteFrom('channelRules').where('userId', '=', userId).execute();
    },
  };
};

export type RulesStore = ReturnType<typeof createRulesStore>;
