import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { requestsOf, story } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { hello, type Turns } from '../../../test/channel-world.ts';
import { chatAccount, openGoogle, refuseGoogle, signCertified } from '../../../test/google.ts';
import { openIssuer, wrongTokens } from '../../../test/signed-tokens.ts';
import { toGoogleText } from './text.ts';

const kind = 'google-chat' as const;
const path = '/google-chat/events';
const publicUrl = 'https://drawbridge.example';

const googleWorld = async (mode: 'poll' | 'webhook', turns: Turns = hello) => {
  const google = await openGoogle();
  const clock = createFakeClock(systemClock.now());
  const environment = { ...(await google.environment(mode)), PUBLIC_URL: publicUrl };
  const all = await withAgent(story(turns), environment, clock);
  const { channels } = all.panel;
  const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
  await expect.poll(channel).toMatchObject({ state: 'working', name: 'agent@p.iam.gserviceaccount.com' });
  const textsAfter = (ms: number, count: number) =>
    expect
      .poll(() => {
        clock.advance(ms);
        return google.texts();
      })
      .toHaveLength(count);
  return { ...all, google, clock, channels, channel, textsAfter };
};

it('CH-09 a pulled event has one run and one answer, and is acknowledged once it is stored', async () => {
  const { google, model, channels, textsAfter } = await googleWorld('poll', () => ({
    text: '# Hi\n**Alice** <users/all> & [this](https://evil.example/?q=1), https://named.example/x',
  }));
  google.say('Who are you?', { user: { name: 'users/66', displayName: 'Mallory' } });
  await textsAfter(1_000, 1);
  expect(google.texts()[0]).toContain('answers paired people');
  const { code } = await channels.codes.create.mutate({ kind });
  google.say(code);
  await textsAfter(1_000, 2);
  google.sent.length = 0;

  google.answerFirst(':acknowledge', refuseGoogle(503));
  google.answerFirst('messages', refuseGoogle(401), refuseGoogle(429), refuseGoogle(500));
  const message = google.message('See https://named.example/');
  google.publish(message, {}, { type: 'ADDED_TO_SPACE' }, message);
  google.publish(google.message('A bot', { user: { name: 'users/77', type: 'BOT' } }));
  google.publish(google.message('Group', { space: { name: 'spaces/g', spaceType: 'SPACE' } }));
  await textsAfter(1_000, 1);
  expect(google.sent).toEqual([
    {
      text: '*Hi*\n\n*Alice* <\u200Busers/all> & this (`https://evil.example/?q=1`), https://named.example/x',
    },
  ]);
  expect(requestsOf(model.requests)).toHaveLength(1);
  await expect.poll(() => google.acknowledged.length).toBe(8);
  // The same answer that is sent again is the first message.
  const ids = google.asked.flatMap(({ path: at }) => /requestId=(\w+)/.exec(at)?.[1] ?? []);
  expect(new Set(ids.slice(-4)).size).toBe(1);

  google.sent.length = 0;
  const photo = { name: 'spaces/dm/messages/photo', text: '', attachment: [{ name: 'a.png' }] };
  google.publish(google.message('', { message: photo }));
  await textsAfter(1_000, 1);
  expect(google.texts()).toEqual(['file was not read: files are not read in this channel.']);
});

it('CH-07 a post needs a token of Google Chat for this address', async () => {
  const { google, clock, channels, channel, server, textsAfter } = await googleWorld('webhook');
  const issuer = await google.issuer();
  const now = Math.floor(clock.now() / 1_000);
  const right = {
    iss: 'https://accounts.google.com',
    aud: publicUrl + path,
    email: chatAccount,
    email_verified: true,
    exp: now + 60,
  };
  const post = async (token: string, body: unknown = google.message('/whoami')) =>
    (await server.send(path, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } })).status;
  const keyRequests = () => google.asked.filter(({ path: at }) => at.includes('certs')).length;

  google.answerFirst('certs', refuseGoogle(500));
  expect(await post(await issuer.sign(right))).toBe(503);
  clock.advance(5_000);
  const { code } = await channels.codes.create.mutate({ kind });
  expect(await post(await issuer.sign(right), google.message(code))).toBe(200);
  await textsAfter(0, 1);

  const before = (await channel())?.lastMessageAt;
  const wrong = {
    ...(await wrongTokens(issuer, right, now)),
    'another account': await issuer.sign({ ...right, email: 'other@system.gserviceaccount.com' }),
    'an account that is not verified': await issuer.sign({ ...right, email_verified: false }),
    'no account': await issuer.sign({ ...right, email: undefined }),
    'an add-on of another project': await issuer.sign({
      ...right,
      email: 'service-1@gcp-sa-gsuiteaddons.iam.gserviceaccount.com',
    }),
    'the project as the audience': await issuer.sign({ ...right, iss: chatAccount, aud: '1234567' }),
  };
  for (const [what, token] of Object.entries(wrong)) expect([what, await post(token)]).toEqual([what, 401]);
  expect((await channel())?.lastMessageAt).toBe(before);
  expect(google.sent).toHaveLength(1);
  expect(await post(await issuer.sign({ ...right, exp: now - 200 }))).toBe(200);
  await textsAfter(0, 2);

  const stranger = await openIssuer('unknown');
  const asked = keyRequests();
  for (let count = 0; count < 20; count += 1)
    expect(await post(await stranger.sign(right, { kid: `unknown ${count}` }))).toBe(401);
  expect(keyRequests() - asked).toBeLessThanOrEqual(1);
  expect(server.log.join('')).not.toContain(await issuer.sign(right));

  const ofProject = { iss: chatAccount, aud: '1234567', exp: now + 300 };
  expect(await post(await signCertified(ofProject))).toBe(401);
  await channels.configure.mutate({ kind, isOn: true, fields: { project: '1234567' } });
  await expect.poll(channel).toMatchObject({ state: 'working' });
  expect(await post(await signCertified(ofProject))).toBe(200);
  await textsAfter(0, 3);
  expect(await post(await signCertified({ ...ofProject, aud: '7654321' }))).toBe(401);
  expect(await post(await signCertified({ ...ofProject, iss: 'other@system.gserviceaccount.com' }))).toBe(
    401,
  );
  expect(await post(await issuer.sign(right))).toBe(401);
});

it('CH-05, CH-09 a subscription is needed to pull, and the key of a service account', async () => {
  const { google, channels, channel } = await googleWorld('webhook');
  const withoutSubscription = { kind, isOn: true, mode: 'poll' as const };
  await channels.configure.mutate({ kind, isOn: false, fields: null });
  await channels.configure.mutate({ ...withoutSubscription, isOn: true });
  await expect.poll(channel).toMatchObject({ state: 'working', mode: 'poll', problem: null });
  for (const fields of [{ key: 'key' }, { subscription: '../v1/x' }, { project: 'name' }] as Record<
    string,
    string
  >[])
    await expect(channels.configure.mutate({ kind, isOn: true, fields })).rejects.toThrow('must be');
  google.answerFirst('token', refuseGoogle(400, 'invalid_grant'));
  await channels.configure.mutate({ kind, isOn: true, fields: { project: '123' } });
  await expect
    .poll(channel)
    .toMatchObject({ state: 'key', problem: expect.stringContaining('refuses the key') });
  await channels.configure.mutate({ kind, isOn: true, fields: { key: '{"private_key":"x"}' } });
  await expect.poll(channel).toMatchObject({ state: 'key' });
  expect((await channel())?.fields).toMatchObject({ key: '"x"}', project: '123' });
});

it('CH-22 an answer has no mention, and no link of its own', () => {
  const print = (text: string) => toGoogleText(text, (href) => href === 'https://own.example/chat');
  expect(print('<https://evil.example|own> <mailto:a@b> `<users/1>` <b>')).toBe(
    '`https://evil.example|own` <\u200Bmailto:a@b> `<\u200Busers/1>` <b>',
  );
  expect(print('[chat](https://own.example/chat) [x](tg://u) ![i](https://evil.example/i)')).toBe(
    '<https://own.example/chat|chat> [x](tg://u) !i (`https://evil.example/i`)',
  );
});
