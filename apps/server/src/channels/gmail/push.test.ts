import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { story } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { hello } from '../../../test/channel-world.ts';
import { mailboxAddress, openGmail, pushFields, refuseGmail } from '../../../test/gmail.ts';
import { standInsAnswered } from '../../../test/http-stand-in.ts';
import { wrongTokens } from '../../../test/signed-tokens.ts';

const kind = 'gmail' as const;
const path = '/gmail/push';
const publicUrl = 'https://drawbridge.example';
const minute = 60_000;

it('CH-07, CH-10 a post of this subscription has Gmail asked once; a lost one is found, and the watch renewed', async () => {
  const clock = createFakeClock(systemClock.now(), standInsAnswered);
  const gmail = await openGmail(clock);
  const environment = { ...gmail.environment, PUBLIC_URL: publicUrl };
  const { panel, server } = await withAgent(story(hello), environment, clock);
  const { channels } = panel;
  const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
  const asked = (name: string) => gmail.asked.filter(({ path: at }) => at.includes(`/me/${name}`)).length;
  /** Time passes, a step with each look. */
  const after = <Value>(stepMs: number, read: () => Value) =>
    expect.poll(
      async () => {
        await clock.settle(stepMs);
        return read();
      },
      { interval: 100 },
    );

  const issuer = await gmail.issuer();
  const seconds = () => Math.floor(clock.now() / 1_000);
  const right = {
    iss: 'https://accounts.google.com',
    aud: publicUrl + path,
    email: pushFields.pushAccount,
    email_verified: true,
    exp: seconds() + 86_400,
  };
  const dataOf = (about: object) => Buffer.from(JSON.stringify(about)).toString('base64');
  const pushed = { emailAddress: 'Agent@gmail.com', historyId: 2_000 };
  const body = { message: { data: dataOf(pushed), messageId: '1' }, subscription: pushFields.subscription };
  const post = async (token: string, given: unknown = body) =>
    (await server.send(path, { method: 'POST', body: given, headers: { authorization: `Bearer ${token}` } }))
      .status;
  const token = await issuer.sign(right);

  // Not while Gmail is asked; and not without all that posts need.
  await expect.poll(channel).toMatchObject({ state: 'working', name: mailboxAddress });
  expect(await post(token)).toBe(501);
  const byPosts = { kind, isOn: true, mode: 'webhook' as const };
  await expect(channels.configure.mutate(byPosts)).rejects.toThrow('needs its topic');
  await channels.configure.mutate({ ...byPosts, fields: pushFields });
  await after(0, () => asked('watch')).toBe(1);
  const watch = gmail.asked.find(({ path: at }) => at.endsWith('/me/watch'));
  expect(JSON.parse(watch?.body ?? '')).toEqual({ topicName: pushFields.topic, labelIds: ['INBOX'] });
  await after(20_000, () => asked('history')).toBeGreaterThan(0);
  await expect.poll(channel).toMatchObject({ state: 'working' });

  gmail.answerFirst('certs', refuseGmail(500));
  expect(await post(token)).toBe(503);
  await clock.settle(5_000);
  const { code } = await channels.codes.create.mutate({ kind });
  gmail.deliver({ subject: code });
  const before = asked('history');
  expect(await Promise.all(Array.from({ length: 10 }, () => post(token)))).toEqual(Array(10).fill(204));
  await after(500, () => gmail.sent.length).toBe(1);
  expect(asked('history')).toBe(before + 1);

  // Nothing of these has Gmail asked.
  gmail.deliver({ subject: 'Re: x', text: '/whoami' });
  const wrong = {
    ...(await wrongTokens(issuer, right, seconds())),
    'another account': await issuer.sign({ ...right, email: 'other@p.iam.gserviceaccount.com' }),
    'an account that is not verified': await issuer.sign({ ...right, email_verified: false }),
    'no account': await issuer.sign({ ...right, email: undefined }),
  };
  for (const [what, one] of Object.entries(wrong)) expect([what, await post(one)]).toEqual([what, 401]);
  const ignored = [
    { ...body, subscription: 'projects/q/subscriptions/mail' },
    { ...body, message: { data: dataOf({ ...pushed, emailAddress: 'other@gmail.com' }) } },
    { ...body, message: { data: '%%%' } },
    { message: body.message },
    [],
  ];
  for (const one of ignored) expect(await post(token, one)).toBe(204);
  for (let step = 0; step < 10; step += 1) {
    await clock.settle(1_000);
    await channel();
  }
  expect(asked('history')).toBe(before + 1);
  expect(asked('watch')).toBe(1);
  // The post for this mail was lost.
  clock.jump(10 * minute);
  await after(1_000, () => gmail.sent.length).toBe(2);
  clock.jump(24 * 60 * minute);
  await after(1_000, () => asked('watch')).toBeGreaterThan(1);
  expect(server.log.join('')).not.toContain(token);
});
