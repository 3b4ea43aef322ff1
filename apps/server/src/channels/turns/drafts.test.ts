import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { pairedChannel, type Turns } from '../../../test/channel-world.ts';
import { replyJson } from '../../../test/http-stand-in.ts';
import { startServer } from '../../../test/server.ts';
import { refuse } from '../../../test/telegram.ts';

type World = Awaited<ReturnType<typeof pairedChannel>>;

/** An answer that is written, and complete once it is completed. */
const slowly = (text: string) => {
  const whole = Promise.withResolvers<void>();
  const turns: Turns = () => ({ text, until: whole.promise });
  return { turns, complete: whole.resolve };
};

const startAgain = ({ server, model, telegram }: World) =>
  startServer({
    dataDir: server.dataDir,
    environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...telegram.environment },
  });

const edits = ({ telegram }: World) => telegram.edited.map(({ text }) => text);
const askedFor = ({ telegram }: World, method: string) =>
  telegram.asked.filter(({ path }) => path.endsWith(`/${method}`)).length;

describe('an answer that is written for long', () => {
  it('CH-24 is shown in one message that becomes the whole answer, not faster than Telegram allows', async () => {
    const { turns, complete } = slowly('One **two** three');
    const world = await pairedChannel(turns);
    const { telegram } = world;
    telegram.say('Tell me');
    await expect.poll(() => telegram.texts()).toEqual([expect.stringMatching(/ …$/)]);
    telegram.answerFirst('editMessageText', refuse(429, 'Too Many Requests', { retry_after: 1 }));
    complete();
    await expect.poll(() => edits(world).at(-1)).toBe('One <strong>two</strong> three');
    // Edits are those of the draft, one that had to wait, and the last one.
    expect(telegram.edited.every(({ message_id: id }) => id === 1)).toBe(true);
    expect(telegram.texts()).toHaveLength(1);
    telegram.say('/whoami');
    await expect.poll(() => telegram.texts().at(-1)).toContain('You are Alice');
    expect(telegram.texts()).toHaveLength(2);
  });

  it('CH-24 a draft that the person has deleted is followed by the answer', async () => {
    const { turns, complete } = slowly('Here it is');
    const { telegram } = await pairedChannel(turns);
    telegram.say('Tell me');
    await expect.poll(() => telegram.texts()).toHaveLength(1);
    telegram.answerFirst('editMessageText', refuse(400, 'Bad Request: message to edit not found'));
    complete();
    await expect.poll(() => telegram.texts().slice(1)).toEqual(['Here it is']);
  });

  it('CH-24, CH-03 the draft is found again after a restart, and becomes the answer', async () => {
    const { turns, complete } = slowly('After all');
    const world = await pairedChannel(turns);
    const { telegram, server } = world;
    const sending = Promise.withResolvers<ServerResponse>();
    const stops = Promise.withResolvers<void>();
    telegram.answerFirst('sendMessage', sending.resolve);
    telegram.answerFirst('getUpdates', (reply) => void reply.once('close', stops.resolve));
    telegram.say('Tell me');
    // The server stops before it knows that the draft has arrived.
    const reply = await sending.promise;
    const closed = server.app.close();
    await stops.promise;
    replyJson(reply, { ok: true, result: { message_id: 55 } });
    await closed;
    complete();
    await startAgain(world);
    await expect.poll(() => edits(world).at(-1)).toBe('After all');
    expect(telegram.edited.at(-1)?.message_id).toBe(55);
    expect(telegram.texts()).toEqual([]);
  });

  it('CH-24, CH-16 nothing of it is shown once its sender is removed', async () => {
    const { turns } = slowly('Secret');
    const world = await pairedChannel(turns);
    const { telegram, channels } = world;
    telegram.say('Tell me');
    await expect.poll(() => telegram.texts()).toHaveLength(1);
    await channels.senders.remove.mutate({ kind: 'telegram', senderId: '77' });
    const asked = askedFor(world, 'editMessageText');
    telegram.say('Hello?');
    await expect.poll(() => telegram.texts().at(-1)).toContain('This bot answers paired people');
    expect(askedFor(world, 'editMessageText')).toBe(asked);
  });
});
