import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { requestsOf, story, textOf } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { macPassword, openMac, refuseMac } from '../../../test/bluebubbles.ts';
import { hello, type Turns } from '../../../test/channel-world.ts';
import { standInsAnswered } from '../../../test/http-stand-in.ts';

const kind = 'bluebubbles' as const;
const path = '/bluebubbles/events';

/** The Mac is asked each time that the clock has moved; Alice is not paired yet. */
const macWorld = async (turns: Turns = hello, environment: Record<string, string> = {}) => {
  const clock = createFakeClock(systemClock.now(), standInsAnswered);
  const mac = await openMac(clock);
  const all = await withAgent(story(turns), { ...mac.environment, ...environment }, clock);
  const { channels } = all.panel;
  const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
  await expect.poll(channel).toMatchObject({ state: 'working' });
  const sentAfter = (ms: number, count: number) =>
    expect
      .poll(async () => {
        await clock.settle(ms);
        return mac.sent.length;
      })
      .toBe(count);
  const pair = async () => {
    const { code, link } = await channels.codes.create.mutate({ kind });
    expect(link).toBeNull();
    mac.say(code.toLowerCase());
    await sentAfter(5_000, 1);
    expect(mac.texts()).toEqual([expect.stringContaining('You are paired')]);
    mac.sent.length = 0;
  };
  return { ...all, mac, clock, channels, channel, pair, sentAfter };
};

it('CH-12 a message of the Mac gets one answer, as plain text; reactions, SMS and own messages get none', async () => {
  const { mac, model, pair, channel, sentAfter, server, clock } = await macWorld(() => ({
    text: '# Hi\n**Alice**, see [this](https://a.example/x) and `code`.\n\n- one\n- two',
  }));
  // Strangers get no answer, also to words that look like codes.
  for (const text of ['Who is this?', 'Thanks', '/pair ABCDEF']) mac.say(text);
  // What comes again is no other wrong code: these words would keep their sender out.
  const sweeps = () => mac.asked.filter(({ path: at }) => at.includes('message/query')).length;
  const before = sweeps();
  await expect
    .poll(async () => {
      await clock.settle(5_000);
      return sweeps();
    })
    .toBeGreaterThan(before + 6);
  await pair();
  mac.say('Mine', { isFromMe: true });
  mac.say('Loved “Hi”', { associatedMessageGuid: 'p:0/guid 1', associatedMessageType: 2000 });
  mac.say('Forged', { chats: [{ guid: 'SMS;-;+15551234567' }] });
  mac.say('Forged too', {
    chats: [{ guid: 'any;-;+15551234567' }],
    handle: { address: '+15551234567', service: 'SMS' },
  });
  mac.say('In a group', { chats: [{ guid: 'iMessage;+;chat1' }] });
  mac.received.set('a', Buffer.from('a file'));
  mac.say('Hello\uFFFC', { attachments: [{ guid: 'a', transferName: 'a.txt' }] });
  await sentAfter(5_000, 1);
  expect(mac.sent).toEqual([
    {
      chatGuid: 'iMessage;-;+15551234567',
      tempGuid: expect.stringMatching(/^temp-[\da-f]{32}$/),
      message: 'Hi\n\nAlice, see this (https://a.example/x) and code.\n\n• one\n• two',
      method: 'apple-script',
    },
  ]);
  mac.say('/whoami', { chats: [{ guid: 'any;-;+15551234567' }] });
  await sentAfter(5_000, 2);
  expect(mac.texts()[1]).toContain('You are +15551234567 here');
  expect(requestsOf(model.requests)).toHaveLength(1);
  expect(requestsOf(model.requests).map(textOf).join('')).toMatch(/a file|YSBmaWxl/);
  expect(JSON.stringify(requestsOf(model.requests)[0])).not.toMatch(/Forged|Mine|Loved|In a group/);
  expect(await channel()).toMatchObject({ name: 'agent@example.com', waiting: 0 });
  const log = server.log.join('');
  expect(log).not.toContain(macPassword);
  expect(log).not.toContain(encodeURIComponent(macPassword));
});

it('CH-34 an emoji of the Mac is for rules alone, of its sender, in their own chat', async () => {
  const { mac, model, pair, channels, sentAfter } = await macWorld();
  await pair();
  await channels.rules.add.mutate({ when: { on: 'emoji' }, do: { type: 'prompt', text: 'Look.' } });
  await channels.rules.add.mutate({ when: { on: 'message' }, do: { type: 'react', emoji: '‼' } });
  const put = (type: number | string, more: object = {}) =>
    mac.say('Loved “Hi”', { associatedMessageGuid: 'p:0/sent 1', associatedMessageType: type, ...more });
  // Taken off, another kind, of the Mac itself, in a group.
  for (const type of [3_000, '-love', 1_000, 'sticker', null]) put(type as number);
  put(2_000, { isFromMe: true });
  put(2_000, { chats: [{ guid: 'iMessage;+;chat1' }] });
  const { guid } = mac.say('Hello');
  await sentAfter(5_000, 1);
  expect(mac.reacted).toEqual([
    { chatGuid: 'iMessage;-;+15551234567', selectedMessageGuid: guid, reaction: 'emphasize', partIndex: 0 },
  ]);
  put('love');
  await sentAfter(5_000, 2);
  put(2_002);
  await sentAfter(5_000, 3);
  const [first, ...others] = requestsOf(model.requests).map(textOf);
  expect(first).not.toContain('Look.');
  expect(others.join('')).toMatch(/has put ❤ on a message of yours[^]*has put 👎 on a message of yours/);
});

it('CH-12 a post is an update once, with its token alone; one that was missed is found by the sweep', async () => {
  const { mac, pair, channels, server, sentAfter, clock } = await macWorld();
  await pair();
  await channels.configure.mutate({ kind, isOn: true, mode: 'webhook' });
  await expect.poll(() => mac.webhooks()).toHaveLength(1);
  const [hook] = mac.webhooks();
  expect(hook).toMatchObject({
    url: expect.stringMatching(/\/bluebubbles\/events\?token=[\w-]{43}$/),
    events: ['new-message'],
  });
  const token = new URL(hook?.url ?? '').searchParams.get('token') ?? '';
  const post = async (query: string, body: unknown) =>
    (await server.send(path + query, { method: 'POST', body })).status;
  const posted = { type: 'new-message', data: mac.say('/whoami') };
  expect(await Promise.all(Array.from({ length: 20 }, () => post(`?token=${token}`, posted)))).toEqual(
    Array.from({ length: 20 }, () => 200),
  );
  await sentAfter(0, 1);

  const forged = { type: 'new-message', data: mac.message('/stop') };
  const wrong = [
    '',
    '?token=',
    `?token=${token.slice(1)}`,
    `?token=${token}&token=${token}`,
    `?TOKEN=${token}`,
  ];
  for (const query of wrong) expect(await post(query, forged)).toBe(401);
  for (const body of [{ type: 'typing-indicator', data: {} }, [], { type: 'new-message', data: { guid: 1 } }])
    expect(await post(`?token=${token}`, body)).toBe(200);

  mac.say('/whoami missed');
  await sentAfter(1_000, 2);
  await clock.settle(60_000);
  await channels.configure.mutate({ kind, isOn: true, mode: 'poll' });
  mac.say('/whoami again');
  await sentAfter(5_000, 3);
  expect(await post(`?token=${token}`, forged)).toBe(501);
  expect(server.log.join('')).not.toContain(token);
});

it('CH-05, CH-35 says that the password is wrong; another address needs its password again', async () => {
  const { mac, pair, channels, channel, sentAfter, clock } = await macWorld();
  await pair();
  mac.answerFirst('message/query', refuseMac(500, 'Busy'), (to) => void to.end('<html>'));
  mac.answerFirst('message/text', refuseMac(500, 'Message failed to send'));
  mac.say('Hi');
  await sentAfter(10_000, 1);
  mac.answerFirst('message/text', refuseMac(404, 'Chat does not exist!'));
  mac.say('Gone');
  const asked = () => mac.asked.filter(({ path: at }) => at.includes('message/text')).length;
  const before = asked();
  await expect
    .poll(async () => {
      await clock.settle(5_000);
      return asked();
    })
    .toBe(before + 1);

  expect(await channel()).toMatchObject({
    isFromEnvironment: true,
    fields: { url: mac.url, password: macPassword.slice(-4) },
  });
  const elsewhere = { kind, isOn: true, fields: { url: 'http://127.0.0.1:9' } };
  await expect(channels.configure.mutate(elsewhere)).rejects.toThrow('needs its password');
  await channels.configure.mutate({ ...elsewhere, isOn: false });
  expect(await channel()).toMatchObject({ isSet: false, isFromEnvironment: false, state: 'off' });
  await expect(channels.test.mutate({ kind })).rejects.toThrow('not set up');
  const wrong: Record<string, string>[] = [{ url: 'ftp://mac' }, { token: 'x' }];
  for (const fields of wrong)
    await expect(channels.configure.mutate({ kind, isOn: true, fields })).rejects.toThrow();
  await channels.configure.mutate({ kind, isOn: true, fields: { url: mac.url, password: 'wrong' } });
  await expect
    .poll(channel)
    .toMatchObject({ state: 'key', problem: expect.stringContaining('refuses the password') });
  await channels.configure.mutate({ kind, isOn: true, fields: { password: macPassword } });
  await expect.poll(channel).toMatchObject({ state: 'working' });
  expect(await channels.test.mutate({ kind })).toEqual({ name: 'agent@example.com' });
  await channels.configure.mutate({ kind, isOn: true, fields: null });
  expect(await channel()).toMatchObject({ isFromEnvironment: true, isSet: true });
});

it('CH-41 an address in the panel is http in a private network alone, and nothing is sent to another', async () => {
  const { channels, channel, mac } = await macWorld();
  const fields = (url: string) => ({ kind, isOn: true, fields: { url, password: macPassword } });
  for (const url of ['http://mac.example:1234', 'http://8.8.8.8:1234', 'HTTP://mac.example'])
    await expect(channels.configure.mutate(fields(url))).rejects.toMatchObject({
      message: expect.stringContaining('Use https'),
      data: { code: 'BAD_REQUEST' },
    });
  expect(await channel()).toMatchObject({ state: 'working' });
  await channels.configure.mutate(fields(mac.environment.BLUEBUBBLES_URL ?? ''));
  await expect.poll(channel).toMatchObject({ state: 'working' });
});
