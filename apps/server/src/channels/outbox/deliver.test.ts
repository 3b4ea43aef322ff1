import type { ServerResponse } from 'node:http';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { story } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { hello, pairedChannel } from '../../../test/channel-world.ts';
import { replyJson } from '../../../test/http-stand-in.ts';
import { openTelegram } from '../../../test/telegram.ts';

/** An answer that the adapter cannot read. */
const odd = (reply: ServerResponse) => replyJson(reply, { ok: true, result: {} });

it('CH-25 a request that breaks off is sent again, after a fault of this server without markup', async () => {
  const { telegram, server } = await pairedChannel();
  telegram.answerFirst('sendMessage', (reply) => void reply.destroy());
  telegram.say('Hi');
  await expect.poll(() => telegram.texts()).toEqual(['Hello <strong>Alice</strong>.']);
  telegram.answerFirst('sendMessage', odd);
  telegram.say('Again');
  await expect.poll(() => telegram.texts().at(-1)).toBe('Hello **Alice**.');
  expect(server.log.join('')).toContain('message_id');
});

it('CH-25 a fault that stays costs eight tries, and the next answer comes', async () => {
  const telegram = await openTelegram();
  const clock = createFakeClock(systemClock.now());
  const { panel } = await withAgent(story(hello), telegram.environment, clock);
  const { code } = await panel.channels.codes.create.mutate({ kind: 'telegram' });
  telegram.say(`/start ${code}`);
  await expect.poll(() => telegram.texts().at(-1)).toContain('You are paired');
  telegram.answerFirst('sendMessage', ...Array.from({ length: 8 }, () => odd));
  const tries = () => telegram.asked.filter(({ path }) => path.endsWith('/sendMessage')).length;
  telegram.say('/whoami');
  telegram.say('/help');
  await expect
    .poll(() => {
      clock.advance(10_000);
      return telegram.texts().slice(1);
    })
    .toEqual([expect.stringContaining('/stop:')]);
  expect(tries()).toBe(1 + 8 + 1);
});
