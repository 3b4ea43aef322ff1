import { personCallerId, type RequestCaller } from '@drawbridge/contracts/daemon-event';
import { cutText } from '@drawbridge/kit';
import { z } from 'zod';

/** Who a rule is for. `id` decides; `name` is what the server called them when the rule was made. */
export const ruleCaller = z.strictObject({
  id: z.string().min(1).max(4_096),
  name: z.string().max(500),
});
export type RuleCaller = z.infer<typeof ruleCaller>;

const panel: RuleCaller = { id: 'panel', name: '' };
/** All chats with the built-in agent: a rule for a single chat would end with it. */
const chat: RuleCaller = { id: 'chat', name: '' };

const kindWords: Record<string, string> = {
  token: 'access token',
  client: 'connected client',
  tailnet: 'Tailscale user',
};

const kindOf = (id: string) => id.slice(0, id.indexOf(':'));

/** A caller as rules tell them apart; undefined for one that the server does not say, or not clearly. */
export const ruleCallerOf = (caller: RequestCaller | undefined): RuleCaller | undefined => {
  if (caller === undefined) return undefined;
  if (caller.id === personCallerId) return panel;
  const kind = kindOf(caller.id);
  if (caller.id.length === kind.length + 1) return undefined;
  if (kind === 'thread') return chat;
  return Object.hasOwn(kindWords, kind) ? { id: caller.id, name: caller.name } : undefined;
};

const maxNameLength = 100;

/** `"Claude Code" (access token)`; its quotes and kind are ours, whatever the name says. */
export const callerWords = ({ id, name }: RuleCaller): string => {
  if (id === panel.id) return 'the panel';
  if (id === chat.id) return 'the built-in agent';
  const shown = name.length > maxNameLength ? `${cutText(name, maxNameLength)}…` : name;
  return `${JSON.stringify(shown)} (${kindWords[kindOf(id)] ?? 'caller'})`;
};

/** The ids that rules are for. */
export const namedCallers = (rules: readonly { caller?: RuleCaller | undefined }[]): Set<string> =>
  new Set(rules.flatMap(({ caller }) => caller?.id ?? []));

const isForAll = ({ caller }: { caller?: RuleCaller | undefined }) => caller === undefined;

/** The allow rules that hold for a caller. One for a single caller never allows an unknown one. */
export const allowsOf = <R extends { caller?: RuleCaller | undefined }>(
  rules: readonly R[],
  caller: RuleCaller | undefined,
): readonly R[] =>
  rules.every(isForAll)
    ? rules
    : rules.filter((rule) => isForAll(rule) || (caller !== undefined && rule.caller?.id === caller.id));

/** The deny rules that hold for a caller: of an unknown one all do, since it may be any. */
export const denialsOf = <R extends { caller?: RuleCaller | undefined }>(
  rules: readonly R[],
  caller: RuleCaller | undefined,
): readonly R[] =>
  rules.every(isForAll)
    ? rules
    : rules.filter((rule) => isForAll(rule) || caller === undefined || rule.caller?.id === caller.id);
