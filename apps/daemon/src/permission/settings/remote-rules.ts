import type { RulesBody } from '@drawbridge/contracts/rule-list';
import { isTighter, type NewRule, type RulesQuery } from '@drawbridge/contracts/rules';
import { CodedError } from '@drawbridge/kit';
import { readNewRule } from '../rules/read-new-rule.ts';
import { ruleInFull } from '../rules/scope.ts';
import { heldRules, showRule } from './rule-list.ts';
import type { RuleUse } from './rule-use.ts';
import type { Session } from './session.ts';
import { groupLabel } from '../group-label.ts';
import type { SettingsStore } from './settings.ts';

/** At most so many are shown elsewhere; here `drawbridge permissions` shows all. */
const maxShown = 300;

export interface RemoteRulesContext {
  settings: SettingsStore;
  session: Session;
  use: Pick<RuleUse, 'lastUsed'>;
  notify(sentence: string): void;
}

type Refusal = Extract<RulesBody, { refused: string }>;

const refused = (reason: Refusal['refused'], message: string): Refusal => ({
  refused: reason,
  message: message.slice(0, 1_000),
});
const notPermitted = refused('not-permitted', 'The settings of this machine do not permit it');
const unknown = refused('unknown', 'There is no such rule');

const list = ({ settings, session, use }: RemoteRulesContext): RulesBody => {
  const held = heldRules(settings, session);
  const rules = held.slice(0, maxShown).map((rule) => showRule(rule, use));
  return { rules, total: held.length, remoteRules: settings.remoteRules() };
};

const remove = async (context: RemoteRulesContext, ruleId: string): Promise<RulesBody> => {
  const { settings, session, use, notify } = context;
  const held = heldRules(settings, session).find((rule) => showRule(rule, use).id === ruleId);
  if (held === undefined) return unknown;
  if (held.effect === 'deny' && !settings.remoteRules()) return notPermitted;
  const isRemoved =
    held.session === null ? await settings.removeRule(held.effect, held.rule) : session.remove(held.session);
  if (!isRemoved) return unknown;
  notify(`the panel removed: ${held.effect} ${ruleInFull(held.rule)}`);
  return list(context);
};

const add = async (context: RemoteRulesContext, written: NewRule): Promise<RulesBody> => {
  const { settings, notify } = context;
  if (!settings.remoteRules()) return notPermitted;
  const rule = await readNewRule(written);
  await settings.addRules(written.effect, [rule]);
  notify(`the panel added: ${written.effect} ${ruleInFull(rule)}`);
  return list(context);
};

type Tighten = Extract<RulesQuery, { type: 'tighten' }>;

/** Saves a mode that permits less than the one in force; for this session too, where that has its own. */
const tighten = async (context: RemoteRulesContext, { toolGroup, mode }: Tighten): Promise<RulesBody> => {
  const { settings, session, notify } = context;
  const saved = settings.modes()[toolGroup];
  const held = session.modes()[toolGroup] ?? saved;
  if (!isTighter(mode, held)) return notPermitted;
  session.tighten(toolGroup, mode);
  await settings.setMode(toolGroup, isTighter(mode, saved) ? mode : saved);
  notify(`the panel set: ${groupLabel(toolGroup)} to ${mode}`);
  return list(context);
};

/**
 * Answers the panel's requests about rules; never rejects. Allowances can be removed, and
 * modes tightened; removing a denial and adding a rule need `remoteRules` in the settings file.
 */
export const answerRulesQuery = async (
  context: RemoteRulesContext,
  query: RulesQuery,
): Promise<RulesBody> => {
  try {
    await context.settings.refresh();
    switch (query.type) {
      case 'list':
        return list(context);
      case 'remove':
        return await remove(context, query.ruleId);
      case 'add':
        return await add(context, query.rule);
      case 'tighten':
        return await tighten(context, query);
      default:
        return query satisfies never;
    }
  } catch (error) {
    return error instanceof CodedError && error.code === 'NOT_A_RULE'
      ? refused('not-a-rule', error.message)
      : refused('failed', 'The settings on this machine cannot be used');
  }
};
