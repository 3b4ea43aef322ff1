import { expect } from 'vitest';
import { story } from './agent-turns.ts';
import { withAgent } from './agent.ts';
import { openTelegram } from './telegram.ts';

export type Turns = Parameters<typeof story>[0];
export const hello: Turns = () => ({ text: 'Hello **Alice**.' });

/** A server with the stand-in as its Telegram, and Alice not paired yet. */
export const channelWorld = async (
  turns: Turns = hello,
  environment: Record<string, string> = {},
  others: Parameters<typeof story>[1] = {},
) => {
  const telegram = await openTelegram();
  const all = await withAgent(story(turns, others), { ...telegram.environment, ...environment });
  const { channels } = all.panel;
  const pair = async (rights: { groups?: ('filesystemRead' | 'filesystemWrite')[] } = {}) => {
    const { code } = await channels.codes.create.mutate({ kind: 'telegram', ...rights });
    telegram.say(`/start ${code}`);
    await expect.poll(() => telegram.texts().at(-1)).toContain('You are paired');
    telegram.sent.length = 0;
  };
  return { ...all, telegram, channels, pair };
};

/** The same, and Alice is paired. */
export const pairedChannel = async (...given: Parameters<typeof channelWorld>) => {
  const all = await channelWorld(...given);
  await all.pair();
  return all;
};
