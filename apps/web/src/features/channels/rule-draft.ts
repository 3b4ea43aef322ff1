import { channelKinds, platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type {
  ChannelRule,
  ChannelRuleDo,
  ChannelRuleOn,
  ChannelRuleWhen,
} from '@drawbridge/contracts/outside/channel-rules';
import type { ChannelSender } from '@drawbridge/contracts/outside/channels';
import { channelWords } from './channel-words.ts';

type Effect = ChannelRuleDo['type'];

/** A rule as its form has it: a text is empty where it is not given. */
export interface RuleDraft {
  on: ChannelRuleOn;
  /** Empty: each. */
  channel: ChannelKind | '';
  /** The id of a sender; empty: each. */
  from: string;
  contains: string;
  emoji: string;
  effect: Effect;
  react: string;
  prompt: string;
  isOn: boolean;
}

export const newDraft = (): RuleDraft => ({
  on: 'emoji',
  channel: '',
  from: '',
  contains: '',
  emoji: '👎',
  effect: 'prompt',
  react: '👍',
  prompt: '',
  isOn: true,
});

export const draftOf = ({ when, do: effect, isOn }: ChannelRule): RuleDraft => ({
  on: when.on,
  channel: when.on === 'mail' ? '' : (when.channel ?? ''),
  from: when.from ?? '',
  contains: when.on === 'emoji' ? '' : (when.contains ?? ''),
  emoji: when.on === 'emoji' ? (when.emoji ?? '') : '',
  effect: effect.type,
  react: effect.type === 'react' ? effect.emoji : '👍',
  prompt: effect.type === 'prompt' ? effect.text : '',
  isOn,
});

const whenOf = ({ on, channel, from, contains, emoji }: RuleDraft): ChannelRuleWhen => {
  const shared = { from: from || null };
  if (on === 'mail') return { on, ...shared, contains: contains.trim() || null };
  const there = { ...shared, channel: channel || null };
  return on === 'emoji'
    ? { on, ...there, emoji: emoji.trim() || null }
    : { on, ...there, contains: contains.trim() || null };
};

const doOf = ({ effect, react, prompt }: RuleDraft): ChannelRuleDo => {
  if (effect === 'react') return { type: effect, emoji: react };
  return effect === 'prompt' ? { type: effect, text: prompt } : { type: effect };
};

export const ruleOf = (draft: RuleDraft): Omit<ChannelRule, 'id'> => ({
  when: whenOf(draft),
  do: doOf(draft),
  isOn: draft.isOn,
});

export const onItems: { value: ChannelRuleOn; label: string }[] = [
  { value: 'emoji', label: 'An emoji is put on a message' },
  { value: 'message', label: 'A message comes' },
  { value: 'mail', label: 'A mail comes' },
];

const kindsOn = (on: ChannelRuleOn): ChannelKind[] => {
  if (on === 'mail') return ['gmail'];
  return channelKinds.filter((kind) => (on === 'emoji' ? platformOf(kind).readsEmojis : kind !== 'gmail'));
};

/** The channels that a rule is for. */
const kindsOf = ({ on, channel }: Pick<RuleDraft, 'on' | 'channel'>): ChannelKind[] =>
  kindsOn(on).filter((kind) => channel === '' || channel === kind);

/** Where something of this kind comes from. */
export const channelItems = (on: ChannelRuleOn): { value: ChannelKind | ''; label: string }[] => [
  { value: '', label: on === 'emoji' ? 'Each channel that tells of emojis' : 'Each channel' },
  ...kindsOn(on).map((value) => ({ value, label: channelWords[value].name })),
];

/** `from`: of the rule now, which may be of somebody who was removed. */
export const senderItems = (draft: RuleDraft, senders: readonly ChannelSender[]) => {
  const kinds = kindsOf(draft);
  const known = senders
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ senderId, name }) => ({ value: senderId, label: name }));
  const isKnown = draft.from === '' || known.some(({ value }) => value === draft.from);
  const gone = isKnown ? [] : [{ value: draft.from, label: draft.from }];
  return [{ value: '', label: 'Each of your senders' }, ...known, ...gone];
};

/** What the bot can put on a message there. */
export const emojiItems = (draft: Pick<RuleDraft, 'on' | 'channel'>) =>
  [...new Set(kindsOf(draft).flatMap((kind) => platformOf(kind).sentEmojis))].map((value) => ({
    value,
    label: value,
  }));

export const effectItems = (draft: Pick<RuleDraft, 'on' | 'channel'>): { value: Effect; label: string }[] => [
  { value: 'prompt', label: 'Tell the agent something' },
  ...(emojiItems(draft).length > 0 ? [{ value: 'react' as const, label: 'Put an emoji on it' }] : []),
  { value: 'stop', label: 'Stop the work, as /stop does' },
  ...(draft.on === 'emoji' ? [] : [{ value: 'ignore' as const, label: 'Keep it from the agent' }]),
];

const eventWords = (when: ChannelRuleWhen): string => {
  if (when.on === 'emoji') return when.emoji ?? 'Any emoji';
  const what = when.on === 'mail' ? 'A mail' : 'A message';
  return when.contains === null ? what : `${what} with “${when.contains}”`;
};

const effectWords = (effect: ChannelRuleDo): string => {
  switch (effect.type) {
    case 'react':
      return `Puts ${effect.emoji} on it`;
    case 'prompt':
      return `Tells the agent: ${effect.text}`;
    case 'stop':
      return 'Stops the work, as /stop does';
    case 'ignore':
      return 'Keeps it from the agent';
    default:
      return effect satisfies never;
  }
};

/** A rule in two lines: what it is for, and what it does. */
export const ruleWords = ({ when, do: effect, isOn }: ChannelRule, senders: readonly ChannelSender[]) => {
  const { from } = when;
  const name = senders.find(({ senderId }) => senderId === from)?.name ?? from;
  const channel = when.on === 'mail' ? null : when.channel;
  const where = channel === null ? '' : ` in ${channelWords[channel].name}`;
  return {
    name: `${eventWords(when)}${name === null ? '' : ` from ${name}`}${where}`,
    does: `${isOn ? '' : 'Off. '}${effectWords(effect)}`,
  };
};
