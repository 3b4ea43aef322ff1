import {
  laneModes,
  laneOverflows,
  lanePolicy,
  type LaneOverrides,
  type LanePolicy,
} from '@drawbridge/contracts/agent/lanes';
import { cutText } from '@drawbridge/kit';
import { policyOf, sourceOf } from '../../machines/lane-policy.ts';
import { threadOf } from '../../rows/load.ts';
import type { ThreadRow } from '../../rows/rows.ts';
import { update } from '../../rows/store.ts';
import { threadFor } from '../../turns/runs/accept.ts';
import type { Command, CommandContext, CommandUse } from './command.ts';

const usage =
  'Usage: /queue | /queue set mode=<mode> cap=<0-100> overflow=<drop_new|drop_old> debounce=<ms> summarize=<on|off> | /queue reset';
const shownText = 60;

type Setting = { [Name in keyof LanePolicy]: { name: Name; value: unknown } }[keyof LanePolicy];

const numberOf = (text: string): number => (/^\d{1,6}$/.test(text) ? Number(text) : NaN);
const switchOf = (text: string): boolean | string => (text === 'on' ? true : text === 'off' ? false : text);

/** What a word such as `cap=8` sets; a mode may stand alone. */
const settingOf = (word: string): Setting | null => {
  const at = word.indexOf('=');
  const name = at === -1 ? 'mode' : word.slice(0, at);
  const value = at === -1 ? word : word.slice(at + 1);
  switch (name) {
    case 'mode':
    case 'overflow':
      return { name, value };
    case 'cap':
      return { name, value: numberOf(value) };
    case 'debounce':
      return { name: 'debounceMs', value: numberOf(value) };
    case 'summarize':
      return { name: 'summarizeOverflow', value: switchOf(value) };
    default:
      return null;
  }
};

/** The overrides that the words mean, or which word is wrong. */
const readSettings = (words: readonly string[]): LaneOverrides | { wrong: string } => {
  let overrides: LaneOverrides = {};
  for (const word of words) {
    const setting = settingOf(word);
    const read = setting && lanePolicy.partial().safeParse({ [setting.name]: setting.value });
    if (!read?.success) return { wrong: word };
    overrides = { ...overrides, ...read.data };
  }
  return words.length === 0 ? { wrong: '' } : overrides;
};

const store = async ({ runner }: CommandContext, thread: ThreadRow, overrides: LaneOverrides) => {
  const { userId, id: threadId } = thread;
  await runner.exclusive({ userId, threadId }, async (own) => {
    const now = await threadOf(own, userId, threadId);
    if (!now) return;
    const lane = { ...now.lane, overrides };
    await own.store.commit([update('agentThreads', { userId, id: threadId }, { lane })], 'synced');
  });
  runner.check({ userId, threadId });
};

const show = async ({ ctx }: CommandContext, { sender, threadId }: CommandUse): Promise<string> => {
  const { userId, channel } = sender;
  const [thread, waiting] = await Promise.all([
    threadOf(ctx, userId, threadId),
    ctx.store.find('agentQueue', { userId, threadId }, { orderBy: 'position', isLenient: true }),
  ]);
  const layers = { settings: await ctx.queueSettings?.(), channel, overrides: thread?.lane.overrides ?? {} };
  const policy = policyOf(layers);
  const line = (label: string, name: keyof LanePolicy) =>
    `${label}: ${policy[name]} (${sourceOf(layers, name)})`;
  return [
    line('mode', 'mode'),
    line('cap', 'cap'),
    line('overflow', 'overflow'),
    line('debounce', 'debounceMs'),
    line('summarize', 'summarizeOverflow'),
    waiting.length === 0 ? 'No message waits.' : `${waiting.length} waiting:`,
    ...waiting.map(
      ({ mode, text }, at) => `${at + 1}. [${mode}] ${cutText(text.replaceAll(/\s+/g, ' '), shownText)}`,
    ),
  ].join('\n');
};

/** `/queue`: how messages wait in this thread, and what waits. */
export const queueCommand: Command = async (context, use) => {
  const { sender, threadId, words } = use;
  const [verb, ...rest] = words;
  if (verb === undefined) return show(context, use);
  if (verb !== 'set' && verb !== 'reset') return usage;
  const read = verb === 'reset' ? {} : readSettings(rest);
  if ('wrong' in read)
    return read.wrong === ''
      ? usage
      : `"${cutText(read.wrong, shownText)}" is not valid. Modes: ${laneModes.join(', ')}. Overflow: ${laneOverflows.join(', ')}.`;
  const thread = await threadFor(context.ctx, sender, { threadId, machineId: null });
  await store(context, thread, verb === 'reset' ? {} : { ...thread.lane.overrides, ...read });
  return show(context, use);
};
