import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { requestsOf, story, textOf } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { hello, type Turns } from '../../../test/channel-world.ts';
import { wrongTokens } from '../../../test/signed-tokens.ts';
import { openTeams, refuseTeams, teamsApp } from '../../../test/teams.ts';
import { createTeams } from './teams.ts';
import { toTeamsText } from './text.ts';

const kind = 'teams' as const;
const path = '/teams/events';

/** Teams posts; Alice is paired. */
const teamsWorld = async (turns: Turns = hello) => {
  const teams = await openTeams();
  const clock = createFakeClock(systemClock.now());
  const environment = { ...teams.environment, PUBLIC_URL: 'https://drawbridge.example' };
  const all = await withAgent(story(turns), environment, clock);
  const { channels } = all.panel;
  const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
  await expect.poll(channel).toMatchObject({ state: 'working', mode: 'webhook' });
  const issuer = await teams.issuer;
  const now = Math.floor(clock.now() / 1_000);
  const claims = {
    iss: 'https://api.botframework.com',
    aud: teamsApp.id,
    serviceurl: `${teams.url}/amer/`,
    exp: now + 60,
  };
  const postWith = async (token: string, body: unknown) =>
    (await all.server.send(path, { method: 'POST', body, headers: { authorization: `Bearer ${token}` } }))
      .status;
  const post = async (body: unknown) => postWith(await issuer.sign(claims), body);
  const textsAfter = (ms: number, count: number) =>
    expect
      .poll(() => {
        clock.advance(ms);
        return teams.texts();
      })
      .toHaveLength(count);
  const { code } = await channels.codes.create.mutate({ kind });
  expect(await post(teams.message(code))).toBe(200);
  await textsAfter(0, 1);
  expect(teams.texts()[0]).toContain('You are paired');
  teams.sent.length = 0;
  return { ...all, teams, clock, channels, channel, issuer, claims, now, post, postWith, textsAfter };
};

it('CH-02, CH-05 a post has one run and one answer, in markdown, also after the platform was away', async () => {
  const { teams, model, post, textsAfter } = await teamsWorld(() => ({
    text: '# Hi\n**Alice** <at>All</at> [x](tg://u) [this](https://evil.example/?q=1) `a<b`',
  }));
  teams.answerFirst('activities', refuseTeams(401), refuseTeams(429), refuseTeams(502));
  const message = teams.message('<at>Agent</at> Hello', { attachments: [{ contentType: 'text/html' }] });
  expect(await Promise.all([post(message), post(message), post(message)])).toEqual([200, 200, 200]);
  await textsAfter(1_000, 1);
  expect(teams.sent).toEqual([
    {
      type: 'message',
      textFormat: 'markdown',
      text: '**Hi**\n\n**Alice** &lt;at>All&lt;/at> [x]\u200B(tg://u) this (`https://evil.example/?q=1`) `a<b`',
    },
  ]);
  expect(requestsOf(model.requests)).toHaveLength(1);
  expect(JSON.stringify(requestsOf(model.requests)[0])).not.toContain('<at>');
  const group = { id: '19:x@thread', conversationType: 'channel', tenantId: teamsApp.tenant };
  expect(await post(teams.message('Group', { conversation: group }))).toBe(200);
  for (const body of [{ type: 'conversationUpdate' }, [], { type: 'typing', text: 'x' }])
    expect(await post(body)).toBe(200);
  expect(await post(teams.message('/whoami'))).toBe(200);
  await textsAfter(1_000, 2);
  expect(teams.texts()[1]).toContain('You are Alice');
});

it('CH-07, CH-08 a post needs a token of the Bot Framework, and our token goes to services of Teams alone', async () => {
  const { teams, channel, issuer, claims, now, post, postWith, textsAfter, clock } = await teamsWorld();
  const before = (await channel())?.lastMessageAt;
  const asked = teams.asked.length;
  for (const [what, token] of Object.entries(await wrongTokens(issuer, claims, now)))
    expect([what, await postWith(token, teams.message('/whoami'))]).toEqual([what, 401]);
  const webchat = await (await teams.otherChannel).sign(claims);
  expect(await postWith(webchat, teams.message('/whoami'))).toBe(401);

  const elsewhere = async (serviceurl: string, more: object = {}) =>
    postWith(
      await issuer.sign({ ...claims, serviceurl }),
      teams.message('/whoami', { serviceUrl: serviceurl, ...more }),
    );
  for (const service of [
    'https://evil.example/',
    'http://smba.trafficmanager.net/',
    'https://smba.trafficmanager.net:8443/',
    'https://smba.trafficmanager.net.evil.example/',
    'https://user@smba.trafficmanager.net/',
    'https://evilbotframework.com/',
    'https://127.0.0.1/',
    'http://169.254.169.254/',
    'no address',
  ])
    expect([service, await elsewhere(service)]).toEqual([service, 401]);
  const of = (more: object) => post(teams.message('/whoami', more));
  expect(await of({ serviceUrl: `${teams.url}/emea/` })).toBe(401);
  const other = { id: 'a:direct', conversationType: 'personal', tenantId: 'another' };
  expect(await of({ conversation: other })).toBe(401);
  expect(await postWith(await issuer.sign({ ...claims, serviceurl: undefined }), teams.message('x'))).toBe(
    401,
  );
  clock.advance(5_000);
  expect(teams.asked.length).toBe(asked);
  expect((await channel())?.lastMessageAt).toBe(before);
  expect(await postWith(await issuer.sign({ ...claims, exp: now - 200 }), teams.message('/whoami'))).toBe(
    200,
  );
  await textsAfter(0, 1);
});

it('CH-08 an answer goes to no service that is no longer on the list', async () => {
  const teams = await openTeams();
  const { id: appId, secret, tenant } = teamsApp;
  const needs = { clock: systemClock, url: teams.url, fields: { appId, secret, tenant }, services: [] };
  const { send } = createTeams({ ...needs, ownUrl: 'https://drawbridge.example' });
  const address = { serviceUrl: teams.url, conversationId: 'a:direct' };
  const to = { id: '1', address, isPlain: false, buttons: [], signal: new AbortController().signal };
  await expect(send('Hi', to)).rejects.toThrow('not one of Teams');
  expect(teams.asked).toEqual([]);
});

it('CH-34 an emoji of Teams is for rules alone, and needs the token of a post as messages do', async () => {
  const { teams, channels, model, post, textsAfter } = await teamsWorld();
  await channels.rules.add.mutate({ when: { on: 'emoji' }, do: { type: 'prompt', text: 'Look.' } });
  const put = (more: object = {}) =>
    teams.message('', {
      type: 'messageReaction',
      text: undefined,
      replyToId: 'sent 1',
      reactionsAdded: [{ type: 'heart' }, { type: 'x'.repeat(40) }],
      ...more,
    });
  expect(await post(put({ conversation: { ...put().conversation, tenantId: 'another' } }))).toBe(401);
  expect(await post(put({ serviceUrl: 'https://evil.example/' }))).toBe(401);
  expect(await post(put({ reactionsAdded: [], reactionsRemoved: [{ type: 'like' }] }))).toBe(200);
  expect(await post(put({ conversation: { ...put().conversation, conversationType: 'groupChat' } }))).toBe(
    200,
  );
  expect(await post(teams.message('/whoami'))).toBe(200);
  await textsAfter(0, 1);
  expect(requestsOf(model.requests)).toEqual([]);
  expect(await post(put())).toBe(200);
  await textsAfter(0, 2);
  const asked = requestsOf(model.requests).map(textOf).join('');
  expect(asked).toMatch(/Look\.[^<]*<untrusted [^>]*>\\nAlice has put ❤ x{30,32}\W* on a message/);
});

it('CH-05 says that the secret is wrong; it needs an https address', async () => {
  const { channels, channel, server } = await teamsWorld();
  await expect(channels.configure.mutate({ kind, isOn: true, mode: 'poll' })).rejects.toThrow('not offered');
  await channels.configure.mutate({ kind, isOn: true, fields: { secret: 'another secret' } });
  await expect
    .poll(channel)
    .toMatchObject({ state: 'key', problem: expect.stringContaining('refuses the app') });
  await channels.configure.mutate({ kind, isOn: false, fields: null });
  expect((await server.send(path, { method: 'POST', body: {} })).status).toBe(501);
  expect(server.log.join('')).not.toContain(teamsApp.secret);
});

it('CH-22 an answer has no tag, and no link that acts', () => {
  const print = (text: string) => toTeamsText(text, (href) => href === 'https://own.example/chat');
  expect(print('<at id="1">x</at> [chat](https://own.example/chat) ![i](https://evil.example/i)')).toBe(
    '&lt;at id="1">x&lt;/at> [chat](https://own.example/chat) !i (`https://evil.example/i`)',
  );
});
