import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { platformOf } from '@drawbridge/contracts/outside/channel-platforms';
import {
  plainEmoji,
  type ChannelRule,
  type ChannelRuleDo,
  type ChannelRuleOn,
  type ChannelRuleWhen,
  type ReactionSkip,
} from '@drawbridge/contracts/outside/channel-rules';

/** What rules are asked about: a message or a mail by its text, or the emojis that were put on a message. */
export interface RuleEvent {
  on: ChannelRuleOn;
  kind: ChannelKind;
  senderId: string;
  text: string;
  emojis: readonly string[];
}

const isFor = (when: ChannelRuleWhen, { on, kind, senderId, text, emojis }: RuleEvent): boolean => {
  if (when.on !== on || (when.from !== null && when.from !== senderId)) return false;
  if (when.on !== 'mail' && when.channel !== null && when.channel !== kind) return false;
  if (when.on === 'emoji') return when.emoji === null || emojis.map(plainEmoji).includes(when.emoji);
  return when.contains === null || text.toLowerCase().includes(when.contains.toLowerCase());
};

/** The rules for an event, in their order. None is for a command: `/stop` works whatever the rules say. */
export const matchRules = (rules: readonly ChannelRule[], event: RuleEvent): ChannelRule[] =>
  /^\s*\//.test(event.text) ? [] : rules.filter(({ isOn, when }) => isOn && isFor(when, event));

/** How a message is handled; of an emoji there is nothing to ignore. */
export type Handling = { type: 'as-written' | 'stop' | 'ignored' } | { type: 'prompt'; text: string };

export interface Outcome {
  /** Null where something is done. */
  skip: ReactionSkip | null;
  /** What the bot puts on the message. */
  react: string | null;
  handling: Handling;
}

interface Facts {
  kind: ChannelKind;
  /** Counts one effect; false where there were too many. */
  take(effect: 'react' | 'prompt'): boolean;
}

/** The effects that are within the limits, in the order of the rules; a message has one emoji of the bot. */
const effectsWithin = (effects: readonly ChannelRuleDo[], { kind, take }: Facts) => {
  let react: string | null = null;
  const prompts: string[] = [];
  let isLimited = false;
  const isWithin = (effect: 'react' | 'prompt'): boolean => {
    const isFree = take(effect);
    isLimited ||= !isFree;
    return isFree;
  };
  for (const effect of effects) {
    if (effect.type === 'prompt' && isWithin('prompt')) prompts.push(effect.text);
    const canReact = effect.type === 'react' && platformOf(kind).sentEmojis.includes(effect.emoji);
    if (canReact && react === null && isWithin('react')) react = effect.emoji;
  }
  return { react, prompts, isLimited };
};

/**
 * What rules that match do together. `stop` and `ignore` always count, and keep the message from the agent.
 * So does a prompt that is one too many: the message must not run as an instruction instead.
 */
export const outcomeOf = (rules: readonly ChannelRule[], facts: Facts): Outcome => {
  const effects = rules.map(({ do: effect }) => effect);
  const has = (type: 'stop' | 'ignore' | 'prompt') => effects.some((effect) => effect.type === type);
  const isKept = has('stop') || has('ignore');
  const possible = isKept ? effects.filter(({ type }) => type !== 'prompt') : effects;
  const { react, prompts, isLimited } = effectsWithin(possible, facts);
  const handling = ((): Handling => {
    if (has('stop')) return { type: 'stop' };
    if (prompts.length > 0) return { type: 'prompt', text: prompts.join('\n\n') };
    return { type: isKept || has('prompt') ? 'ignored' : 'as-written' };
  })();
  const skip = ((): ReactionSkip | null => {
    if (isKept || react !== null || prompts.length > 0) return null;
    if (rules.length === 0) return 'no_match';
    return isLimited ? 'rate_limited' : 'unsupported';
  })();
  return { skip, react, handling };
};
