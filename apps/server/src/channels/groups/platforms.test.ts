import { platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { requestsOf, story, textOf } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { chatAccount, openGoogle } from '../../../test/google.ts';
import { openTeams, teamsApp } from '../../../test/teams.ts';

const publicUrl = 'https://drawbridge.example';
const exp = Math.floor(systemClock.now() / 1_000) + 3_600;
const hello = () => ({ text: 'Hello.' });

/** A platform that posts, as Alice uses it in a group. */
const platforms = {
  'google-chat': async () => {
    const google = await openGoogle();
    const { sign } = await google.issuer();
    const aud = publicUrl + platformOf('google-chat').webhookPath;
    const claims = { iss: 'https://accounts.google.com', aud, email: chatAccount, email_verified: true, exp };
    const bot = [{ type: 'USER_MENTION', userMention: { user: { name: 'users/9', type: 'BOT' } } }];
    const person = [{ type: 'USER_MENTION', userMention: { user: { name: 'users/78', type: 'HUMAN' } } }];
    const space = { name: 'spaces/team', spaceType: 'SPACE', displayName: 'Team' };
    const inTeam = (argumentText: string, annotations: object[]) => {
      const { message } = google.message(`@Agent ${argumentText}`);
      return google.message('', { space, message: { ...message, argumentText, annotations } });
    };
    return {
      ...google,
      environment: await google.environment('webhook'),
      token: await sign(claims),
      conversation: space.name,
      named: (text: string) => inTeam(text, bot),
      unnamed: (text: string) => inTeam(text, person),
    };
  },
  teams: async () => {
    const teams = await openTeams();
    const { sign } = await teams.issuer;
    const serviceurl = `${teams.url}/amer/`;
    const conversation = '19:team@thread.v2';
    const at = { id: conversation, conversationType: 'groupChat', name: 'Team', tenantId: teamsApp.tenant };
    const inTeam = (text: string, id: string) =>
      teams.message(`<at>Agent</at> ${text}`, {
        conversation: at,
        entities: [{ type: 'mention', mentioned: { id } }],
      });
    return {
      ...teams,
      token: await sign({ iss: 'https://api.botframework.com', aud: teamsApp.id, serviceurl, exp }),
      conversation,
      named: (text: string) => inTeam(text, `28:${teamsApp.id}`),
      unnamed: (text: string) => inTeam(text, '28:another'),
    };
  },
} satisfies Partial<Record<ChannelKind, unknown>>;

it.each(['google-chat', 'teams'] as const)(
  'CH-18 in a group of %s what names the bot is answered there, once the group is on',
  async (kind) => {
    const platform = await platforms[kind]();
    const environment = { ...platform.environment, PUBLIC_URL: publicUrl };
    const { server, panel, model } = await withAgent(story(hello), environment);
    const { channels } = panel;
    const { conversation, named, unnamed } = platform;
    const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
    await expect.poll(channel).toMatchObject({ state: 'working' });
    const post = async (body: object) => {
      const headers = { authorization: `Bearer ${platform.token}` };
      const { status } = await server.send(platformOf(kind).webhookPath, { method: 'POST', headers, body });
      expect(status).toBe(200);
    };
    const { code } = await channels.codes.create.mutate({ kind });
    await post(platform.message(code));
    await expect.poll(() => platform.texts().at(-1)).toContain('You are paired');

    await post(unnamed('first'));
    expect(await channels.groups.list.query()).toEqual([]);
    await post(named('second'));
    expect(await channels.groups.list.query()).toMatchObject([
      { kind, conversation, title: 'Team', isOn: false },
    ]);
    await channels.groups.update.mutate({ kind, conversation, isOn: true, groups: [] });
    await post(unnamed('third'));
    await post(named('fourth'));
    await expect.poll(() => platform.texts().at(-1)).toBe('Hello.');
    expect(platform.asked.at(-1)?.path).toContain(conversation.replace('@', '%40').replace('19:', ''));
    const said = textOf(requestsOf(model.requests)[0]!);
    expect(said).toContain('Alice: fourth');
    for (const word of ['first', 'second', 'third']) expect(said).not.toContain(word);
    expect(requestsOf(model.requests)).toHaveLength(1);
  },
);
