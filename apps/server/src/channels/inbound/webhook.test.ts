import { expect, it } from 'vitest';
import { requestsOf } from '../../../test/agent-turns.ts';
import { channelWorld, hello } from '../../../test/channel-world.ts';
import { refuse } from '../../../test/telegram.ts';

const publicUrl = 'https://drawbridge.example';
const path = '/telegram/events';
const header = 'x-telegram-bot-api-secret-token';

/** Telegram posts, and Alice is paired. */
const webhookWorld = async () => {
  const all = await channelWorld(hello, { TELEGRAM_MODE: 'webhook', PUBLIC_URL: publicUrl });
  const { server, telegram, channels } = all;
  await expect.poll(async () => (await channels.list.query())[0]?.state).toBe('working');
  const secret = String(telegram.webhook()['secret_token']);
  let next = 5_000;
  const update = (text: string) => ({ update_id: (next += 1), ...telegram.message(text) });
  const post = async (body: unknown, headers: Record<string, string> = { [header]: secret }) => {
    const { status, text } = await server.send(path, { method: 'POST', headers, body });
    return [status, text] as const;
  };
  const { code } = await channels.codes.create.mutate({ kind: 'telegram' });
  expect(await post(update(`/start ${code}`))).toEqual([200, '{}']);
  await expect.poll(() => telegram.texts()).toEqual([expect.stringContaining('You are paired')]);
  telegram.sent.length = 0;
  return { ...all, secret, update, post };
};

it('CH-02, CH-06 a message that is posted twenty times at once has one run and one answer', async () => {
  const { telegram, model, server, channels, secret, update, post } = await webhookWorld();
  expect(telegram.webhook()).toEqual({
    url: publicUrl + path,
    secret_token: expect.stringMatching(/^[\w-]{43}$/),
    allowed_updates: ['message', 'callback_query', 'message_reaction'],
    max_connections: 10,
  });
  const message = update('Hi');
  const all = await Promise.all(Array.from({ length: 20 }, () => post(message)));
  expect(all.every(([status]) => status === 200)).toBe(true);
  await expect.poll(() => telegram.texts()).toEqual(['Hello <strong>Alice</strong>.']);
  expect(requestsOf(model.requests)).toHaveLength(1);

  const before = (await channels.list.query())[0]?.lastMessageAt;
  const wrong: Record<string, string>[] = [
    {},
    { [header]: '' },
    { [header]: secret.slice(0, -1) },
    { [header]: `${secret}x` },
    { [header]: `${secret}, ${secret}` },
    { [header]: secret.toLowerCase() },
    { authorization: `Bearer ${secret}` },
  ];
  const answers = await Promise.all(wrong.map((headers) => post(update('Let me in'), headers)));
  expect(answers.map(([status]) => status)).toEqual(wrong.map(() => 401));
  expect(new Set(answers.map(([, body]) => body)).size).toBe(1);
  expect((await channels.list.query())[0]?.lastMessageAt).toBe(before);
  // What is no update is taken, because it would be posted for ever.
  expect(await Promise.all([post([]), post({ update_id: 'x' }), post({})])).toEqual(
    Array.from({ length: 3 }, () => [200, '{}']),
  );
  expect(server.log.join('')).not.toContain(secret);
});

it('CH-02, CH-06 a webhook that is switched to asking loses nothing and answers 501', async () => {
  const { telegram, channels, update, post } = await webhookWorld();
  const message = update('Hi');
  await post(message);
  await expect.poll(() => telegram.texts()).toHaveLength(1);
  await channels.configure.mutate({ kind: 'telegram', isOn: true, mode: 'poll' });
  expect((await post(update('Later')))[0]).toBe(501);
  telegram.deliver(message, update('/whoami'));
  await expect.poll(() => telegram.texts().at(-1)).toContain('You are Alice');
  expect(telegram.texts()).toHaveLength(2);
  expect([telegram.webhook(), telegram.offsets[0]]).toEqual([{}, undefined]);

  telegram.answerFirst('getWebhookInfo', (reply) =>
    reply.end(JSON.stringify({ ok: true, result: { url: 'https://other.example' } })),
  );
  await channels.configure.mutate({ kind: 'telegram', isOn: true, mode: 'webhook' });
  const state = async () => (await channels.list.query())[0];
  await expect
    .poll(state)
    .toMatchObject({ state: 'unreachable', problem: expect.stringContaining('Another') });
  const refused = refuse(400, 'Bad Request: bad webhook: IP address is reserved');
  // It is tried again at once sometimes.
  telegram.answerFirst('setWebhook', ...Array.from({ length: 5 }, () => refused));
  await channels.configure.mutate({ kind: 'telegram', isOn: true });
  await expect.poll(state).toMatchObject({ problem: expect.stringContaining('bad webhook') });
});

it('a webhook needs an https address of this server', async () => {
  const { channels, server } = await channelWorld();
  await expect(channels.configure.mutate({ kind: 'telegram', isOn: true, mode: 'webhook' })).rejects.toThrow(
    'https addresses',
  );
  const id = '11111111-2222-3333-4444-555555555555';
  const fields = { appId: id, tenant: id, secret: 'a client secret' };
  await expect(channels.configure.mutate({ kind: 'teams', isOn: true, fields })).rejects.toThrow(
    'https addresses',
  );
  expect((await server.send(path, { method: 'POST', body: {} })).status).toBe(501);
});
