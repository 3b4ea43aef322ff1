import type { RulesBody } from '@drawbridge/contracts/rule-list';
import type { RulesQuery } from '@drawbridge/contracts/rules';
import { CodedError } from '@drawbridge/kit';
import { readNewRule } from '../rules/read-new-rule.ts';
import { ruleInFull } from '../rules/scope.ts';
import { heldRules, showRule, type HeldRule } from './rule-list.ts';
import type { RuleUse } from './rule-use.ts';
import type { Session } from './session.ts';
import type { SettingsStore } from './settings.ts';

/** At most so many are shown elsewhere; here `drawbridge permissions` shows all. */
const maxShown = 300;

export interface RemoteRulesNeeds {
  settings: SettingsStore;
  session: Session;
  use: Pick<RuleUse, 'lastUsed'>;
  notify(sentence: string): void;
}

/** Answers the panel's questions about the rules. It never rejects. */
export type RemoteRules = (query: RulesQuery) => Promise<RulesBody>;

/**
 * Answers the panel's requests about rules. Allowances can be removed; removing a denial and adding a rule
 * need `remoteRules` in the settings file.
 */
export const createRemoteRules = ({ settings, session, use, notify }: RemoteRulesNeeds): RemoteRules => {
  const list = (): RulesBody => {
    const held = heldRules(settings, session);
    const rules = held.slice(0, maxShown).map((one) => showRule(one, use));
    return { rules, total: held.length, remoteRules: settings.remoteRules() };
  };
  const refused = (
    reason: Extract<RulesBody, { refused: string }>['refused'],
    message: string,
  ): RulesBody => ({
    refused: reason,
    message: message.slice(0, 1_000),
  });
  const notPermitted = () => refused('not-permitted', 'The settings of this machine do not permit it');

  const removeHeld = async ({ effect, rule, session: held }: HeldRule): Promise<boolean> =>
    held === null ? settings.removeRule(effect, rule) : session.remove(held);

  const remove = async (ruleId: string): Promise<RulesBody> => {
    const held = heldRules(settings, session).find((one) => showRule(one, use).id === ruleId);
    if (held === undefined) return refused('unknown', 'There is no such rule');
    if (held.effect === 'deny' && !settings.remoteRules()) return notPermitted();
    if (!(await removeHeld(held))) return refused('unknown', 'There is no such rule');
    notify(`the panel removed: ${held.effect} ${ruleInFull(held.rule)}`);
    return list();
  };

  const add = async (written: Extract<RulesQuery, { type: 'add' }>['rule']): Promise<RulesBody> => {
    if (!settings.remoteRules()) return notPermitted();
    const made = await readNewRule(written);
    await settings.addRules(written.effect, [made]);
    notify(`the panel added: ${written.effect} ${ruleInFull(made)}`);
    return list();
  };

  const answer = async (query: RulesQuery): Promise<RulesBody> => {
    await settings.refresh();
    switch (query.type) {
      case 'list':
        return list();
      case 'remove':
        return remove(query.ruleId);
      case 'add':
        return add(query.rule);
      default:
        return query satisfies never;
    }
  };

  return (query) =>
    answer(query).catch((error: unknown) => {
      if (error instanceof CodedError && error.code === 'NOT_A_RULE')
        return refused('not-a-rule', error.message);
      return refused('failed', 'The settings on this machine cannot be used');
    });
};
