import {
  channelRuleLimits,
  type AddChannelRuleInput,
  type ChannelRule,
  type UpdateChannelRuleInput,
} from '@drawbridge/contracts/outside/channel-rules';
import { nanoid } from 'nanoid';
import { errors } from '../../errors.ts';
import type { RulesStore } from './rules.store.ts';

interface Needs {
  store: RulesStore;
  log: { info(facts: object, sentence: string): void };
}

/** Rules of an account, which it alone sees and changes. */
export const createRules = ({ store, log }: Needs) => {
  const changed = (userId: string, id: string): void =>
    log.info({ userId, id }, 'a rule of channels was changed');

  return {
    list: store.ofUser,
    /** Behind the others. Throws `conflict` beyond 50. */
    add: async (userId: string, given: AddChannelRuleInput): Promise<ChannelRule> => {
      const { length } = await store.ofUser(userId);
      if (length >= channelRuleLimits.rulesPerUser)
        throw errors.conflict({
          message: `You have ${channelRuleLimits.rulesPerUser} rules`,
          fix: 'Remove one first.',
        });
      const rule = { id: nanoid(), ...given };
      await store.insert(userId, rule, length);
      changed(userId, rule.id);
      return rule;
    },
    /** Throws `notFound`. */
    update: async (userId: string, rule: UpdateChannelRuleInput): Promise<void> => {
      if (!(await store.update(userId, rule))) throw errors.notFound();
      changed(userId, rule.id);
    },
    /** Throws `notFound`. */
    remove: async (userId: string, id: string): Promise<void> => {
      if (!(await store.remove(userId, id))) throw errors.notFound();
      changed(userId, id);
    },
    /** Throws `notFound` for a rule that is not the user's, and `conflict` where one is missing. */
    order: async (userId: string, ids: readonly string[]): Promise<void> => {
      const known = new Set((await store.ofUser(userId)).map(({ id }) => id));
      if (ids.some((id) => !known.has(id))) throw errors.notFound();
      if (new Set(ids).size !== known.size)
        throw errors.conflict({ message: 'Your rules have changed meanwhile', fix: 'Load the page again.' });
      await store.order(userId, ids);
    },
  };
};
