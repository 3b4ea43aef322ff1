import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { platformOf } from '@drawbridge/contracts/outside/channel-platforms';
import {
  plainEmoji,
  type ChannelRule,
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

/** What becomes of a message; of an emoji there is nothing to ignore. */
export type Fate = { type: 'as-written' | 'stop' | 'ignored' } | { type: 'prompt'; text: string };

export interface Outcome {
  /** Null where something is done. */
  skip: ReactionSkip | null;
  /** What the bot puts on the message. */
  react: string | null;
  fate: Fate;
}

interface Facts {
  kind: ChannelKind;
  /** Counts one effect; false where there were too many. */
  take(effect: 'react' | 'prompt'): boolean;
}

const createTaken = ({ kind, take }: Facts) => {
  const taken = { react: null as string | null, prompts: [] as string[], isLimited: false };
  const takes = (effect: 'react' | 'prompt'): boolean => {
    const isTaken = take(effect);
    taken.isLimited ||= !isTaken;
    return isTaken;
  };
  return {
    taken,
    /** A message has one emoji of the bot. */
    react: (emoji: string): void => {
      const canReact = platformOf(kind).sentEmojis.includes(emoji);
      if (canReact && taken.react === null && takes('react')) taken.react = emoji;
    },
    prompt: (text: string): void => void (takes('prompt') && taken.prompts.push(text)),
  };
};

/**
 * What rules that match do together. `stop` and `ignore` always count, and keep the message from the agent.
 * So does a prompt that is one too many: the message must not run as an instruction instead.
 */
export const outcomeOf = (rules: readonly ChannelRule[], facts: Facts): Outcome => {
  const effects = rules.map(({ do: effect }) => effect);
  const has = (type: 'stop' | 'ignore' | 'prompt') => effects.some((effect) => effect.type === type);
  const isKept = has('stop') || has('ignore');
  const { taken, react, prompt } = createTaken(facts);
  for (const effect of effects) {
    if (effect.type === 'react') react(effect.emoji);
    else if (effect.type === 'prompt' && !isKept) prompt(effect.text);
  }
  const fate = ((): Fate => {
    if (has('stop')) return { type: 'stop' };
    if (taken.prompts.length > 0) return { type: 'prompt', text: taken.prompts.join('\n\n') };
    return { type: isKept || has('prompt') ? 'ignored' : 'as-written' };
  })();
  const isDone = isKept || taken.react !== null || taken.prompts.length > 0;
  const skip = isDone
    ? null
    : rules.length === 0
      ? 'no_match'
      : taken.isLimited
        ? 'rate_limited'
        : 'unsupported';
  return { skip, react: taken.react, fate };
};
