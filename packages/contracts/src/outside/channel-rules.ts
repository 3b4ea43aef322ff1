import { z } from 'zod';
import { channelKind, channelKinds, platformOf, type ChannelKind } from './channel-platforms.ts';

export const channelRuleLimits = {
  rulesPerUser: 50,
  promptLength: 2_000,
  containsLength: 200,
  /** Of one user. What keeps work away, `stop` and `ignore`, does not count. */
  effectsPerMinute: 30,
} as const;

/** A heart is there with a sign for its colour, and without. */
export const plainEmoji = (emoji: string): string => emoji.replaceAll('\uFE0F', '');

const from = z.string().trim().min(1).max(128).nullable().default(null);
const contains = z.string().trim().min(1).max(channelRuleLimits.containsLength).nullable().default(null);
const channel = channelKind.nullable().default(null);
const emoji = z.string().trim().min(1).max(32).transform(plainEmoji);

/**
 * What a rule is for. `channel`: null for each of them. `from`: the id of a sender; null for each of the
 * user's. `contains`: a text, in upper or lower case; null for each message.
 */
export const channelRuleWhen = z.discriminatedUnion('on', [
  z.strictObject({ on: z.literal('message'), channel, from, contains }),
  z.strictObject({ on: z.literal('emoji'), channel, from, emoji: emoji.nullable().default(null) }),
  z.strictObject({ on: z.literal('mail'), from, contains }),
]);
export type ChannelRuleWhen = z.infer<typeof channelRuleWhen>;
export type ChannelRuleOn = ChannelRuleWhen['on'];

const isNoCommand = (text: string): boolean => !text.startsWith('/');

/** What a rule does. `prompt`: the agent gets this instead of the message, which follows it as data. */
export const channelRuleDo = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('react'), emoji }),
  z.strictObject({
    type: z.literal('prompt'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(channelRuleLimits.promptLength)
      .refine(isNoCommand, 'must be no command'),
  }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('ignore') }),
]);
export type ChannelRuleDo = z.infer<typeof channelRuleDo>;

interface NewRule {
  when: ChannelRuleWhen;
  do: ChannelRuleDo;
}

/** The channels that a rule is for. */
const kindsOf = (when: ChannelRuleWhen): ChannelKind[] => {
  if (when.on === 'mail') return ['gmail'];
  if (when.channel !== null) return [when.channel];
  return channelKinds.filter((kind) => kind !== 'gmail');
};

/** Why a rule would do nothing at all, in words; null where it can. */
export const uselessRule = ({ when, do: effect }: NewRule): string | null => {
  if (when.on === 'message' && when.channel === 'gmail') return 'a rule for Gmail is one for mails';
  const kinds = kindsOf(when).filter((kind) => when.on !== 'emoji' || platformOf(kind).readsEmojis);
  if (kinds.length === 0) return 'this channel tells nothing about emojis';
  if (when.on === 'emoji' && effect.type === 'ignore') return 'the agent gets no emoji anyway';
  if (effect.type !== 'react') return null;
  const canReact = kinds.some((kind) => platformOf(kind).sentEmojis.includes(effect.emoji));
  return canReact ? null : 'the bot cannot put this emoji on a message there';
};

const rule = { when: channelRuleWhen, do: channelRuleDo, isOn: z.boolean().default(true) };
const refineRule = (given: NewRule, context: z.RefinementCtx): void => {
  const message = uselessRule(given);
  if (message !== null) context.addIssue({ code: 'custom', message, path: ['do'] });
};

export const channelRule = z.object({ id: z.string(), ...rule });
export type ChannelRule = z.infer<typeof channelRule>;

const id = z.string().min(1).max(64);
export const addChannelRuleInput = z.strictObject(rule).superRefine(refineRule);
export type AddChannelRuleInput = z.infer<typeof addChannelRuleInput>;
export const updateChannelRuleInput = z.strictObject({ id, ...rule }).superRefine(refineRule);
export type UpdateChannelRuleInput = z.infer<typeof updateChannelRuleInput>;
export const channelRuleIdInput = z.strictObject({ id });
/** All of the user's rules, in their new order. */
export const orderChannelRulesInput = z.strictObject({
  ids: z.array(id).max(channelRuleLimits.rulesPerUser),
});

/** Why an update was followed by nothing. */
export const reactionSkips = ['no_rules', 'no_match', 'not_paired', 'unsupported', 'rate_limited'] as const;
export type ReactionSkip = (typeof reactionSkips)[number];
