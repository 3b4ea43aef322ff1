import type {
  ChannelRule,
  ChannelRuleDo,
  ChannelRuleWhen,
} from '@drawbridge/contracts/outside/channel-rules';
import { addChannelRuleInput } from '@drawbridge/contracts/outside/channel-rules';
import { expect, it } from 'vitest';
import { matchRules, outcomeOf, type RuleEvent } from './match-rules.ts';

const message: RuleEvent = { on: 'message', kind: 'telegram', senderId: '77', text: 'The BILL', emojis: [] };
const thumb: RuleEvent = { ...message, on: 'emoji', text: '', emojis: ['❤\uFE0F', '👍'] };
const mail: RuleEvent = { ...message, on: 'mail', kind: 'gmail' };

const any = { channel: null, from: null, contains: null };
const rule = (when: ChannelRuleWhen, effect: ChannelRuleDo = { type: 'stop' }): ChannelRule => ({
  id: JSON.stringify([when, effect]),
  isOn: true,
  when,
  do: effect,
});
const isMatch = (when: ChannelRuleWhen, event: RuleEvent) => matchRules([rule(when)], event).length === 1;

it('CH-34 a rule is for what all of its conditions name', () => {
  const onMessage = { on: 'message' as const, ...any };
  expect(isMatch(onMessage, message)).toBe(true);
  expect(isMatch({ ...onMessage, channel: 'telegram', from: '77', contains: 'bill' }, message)).toBe(true);
  expect(isMatch({ ...onMessage, channel: 'teams' }, message)).toBe(false);
  expect(isMatch({ ...onMessage, from: '78' }, message)).toBe(false);
  expect(isMatch({ ...onMessage, contains: 'bills' }, message)).toBe(false);
  // A text, and no pattern.
  expect(isMatch({ ...onMessage, contains: '.*' }, message)).toBe(false);
  expect(isMatch(onMessage, thumb)).toBe(false);
  expect(isMatch(onMessage, mail)).toBe(false);
  expect(isMatch({ on: 'mail', from: null, contains: 'bill' }, mail)).toBe(true);
  const onEmoji = { on: 'emoji' as const, channel: null, from: null };
  expect(isMatch({ ...onEmoji, emoji: null }, thumb)).toBe(true);
  expect(isMatch({ ...onEmoji, emoji: '❤' }, thumb)).toBe(true);
  expect(isMatch({ ...onEmoji, emoji: '🔥' }, thumb)).toBe(false);
  expect(matchRules([{ ...rule(onMessage), isOn: false }], message)).toEqual([]);
});

it('CH-34 no rule is for a command', () => {
  const all = rule({ on: 'message', ...any }, { type: 'ignore' });
  for (const text of ['/stop', ' /unpair', '\n/cancel now']) {
    expect(matchRules([all], { ...message, text })).toEqual([]);
  }
});

const react = (emoji: string) => rule({ on: 'message', ...any }, { type: 'react', emoji });
const prompt = (text: string) => rule({ on: 'message', ...any }, { type: 'prompt', text });
const stop = rule({ on: 'message', ...any }, { type: 'stop' });
const ignore = rule({ on: 'message', ...any }, { type: 'ignore' });
const outcome = (rules: ChannelRule[], left = 30, kind: RuleEvent['kind'] = 'telegram') => {
  let free = left;
  return outcomeOf(rules, { kind, take: () => (free -= 1) >= 0 });
};

it.each([
  [[], { skip: 'no_match', react: null, handling: { type: 'as-written' } }],
  [[react('👍'), react('🔥')], { skip: null, react: '👍', handling: { type: 'as-written' } }],
  [[prompt('a'), prompt('b')], { skip: null, react: null, handling: { type: 'prompt', text: 'a\n\nb' } }],
  [[prompt('a'), ignore, react('👍')], { skip: null, react: '👍', handling: { type: 'ignored' } }],
  [[ignore, stop, prompt('a')], { skip: null, react: null, handling: { type: 'stop' } }],
  // Telegram has no such emoji for bots.
  [[react('🦕')], { skip: 'unsupported', react: null, handling: { type: 'as-written' } }],
])('CH-34 rules do together: %#', (rules, expected) => {
  expect(outcome(rules)).toEqual(expected);
});

it('CH-34 a prompt that is one too many keeps the message from the agent; what keeps it away always counts', () => {
  const limited = { skip: 'rate_limited', react: null, handling: { type: 'ignored' } };
  expect(outcome([prompt('a')], 0)).toEqual(limited);
  expect(outcome([react('👍')], 0)).toEqual({ ...limited, handling: { type: 'as-written' } });
  expect(outcome([prompt('a'), prompt('b')], 1).handling).toEqual({ type: 'prompt', text: 'a' });
  expect(outcome([ignore], 0)).toEqual({ skip: null, react: null, handling: { type: 'ignored' } });
  expect(outcome([stop], 0).handling).toEqual({ type: 'stop' });
  expect(outcome([react('👍')], 30, 'teams').skip).toBe('unsupported');
});

it.each([
  [{ on: 'message' }, { type: 'prompt', text: ' /stop' }],
  [{ on: 'message', channel: 'gmail' }, { type: 'stop' }],
  [{ on: 'message', emoji: '👍' }, { type: 'stop' }],
  [{ on: 'emoji', channel: 'google-chat' }, { type: 'stop' }],
  [{ on: 'emoji' }, { type: 'ignore' }],
  [
    { on: 'message', channel: 'bluebubbles' },
    { type: 'react', emoji: '🔥' },
  ],
  [{ on: 'mail' }, { type: 'react', emoji: '👍' }],
  [{ on: 'message' }, { type: 'prompt', text: 'x'.repeat(2_001) }],
])('CH-34 a rule that could do nothing is refused: %j %j', (when, effect) => {
  expect(addChannelRuleInput.safeParse({ when, do: effect }).success).toBe(false);
});
