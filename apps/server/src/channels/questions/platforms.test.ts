import { platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { story, use } from '../../../test/agent-turns.ts';
import { machineQuestion, nextCall, resultOf, withAgent } from '../../../test/agent.ts';
import { connectDaemon } from '../../../test/daemon.ts';
import { chatAccount, openGoogle } from '../../../test/google.ts';
import { createStoppedTime } from '../../../test/stopped-time.ts';
import { openTeams, teamsApp } from '../../../test/teams.ts';

const publicUrl = 'https://drawbridge.example';
const exp = Math.floor(systemClock.now() / 1_000) + 3_600;

/** A platform that posts, as Alice and Eve use it. */
const platforms = {
  'google-chat': async () => {
    const google = await openGoogle();
    const { sign } = await google.issuer();
    const aud = publicUrl + platformOf('google-chat').webhookPath;
    const claims = { iss: 'https://accounts.google.com', aud, email: chatAccount, email_verified: true, exp };
    return {
      ...google,
      environment: await google.environment('webhook'),
      token: await sign(claims),
      alice: 'users/77',
      eve: { user: { name: 'users/78', displayName: 'Eve' } },
      hasButtons: () => google.sent.at(-1)?.cardsV2 !== undefined,
      changes: () => google.edited.map(({ text, cardsV2 }) => [text, cardsV2.length]),
    };
  },
  teams: async () => {
    const teams = await openTeams();
    const { sign } = await teams.issuer;
    const serviceurl = `${teams.url}/amer/`;
    return {
      ...teams,
      token: await sign({ iss: 'https://api.botframework.com', aud: teamsApp.id, serviceurl, exp }),
      alice: 'alice-in-the-directory',
      eve: { from: { id: '29:eve', name: 'Eve' } },
      hasButtons: () => teams.sent.at(-1)?.attachments !== undefined,
      changes: () => teams.edited.map(({ text, attachments }) => [text, attachments?.length ?? 0]),
    };
  },
} satisfies Partial<Record<ChannelKind, unknown>>;

it.each(['google-chat', 'teams'] as const)(
  'CH-30 a button in %s answers once, for its sender',
  async (kind) => {
    const platform = await platforms[kind]();
    const { clock, pass } = createStoppedTime();
    const script = story((_request, number) =>
      number % 2 === 1 ? use('write_file', { path: 'a', content: 'x' }) : { text: 'Ready.' },
    );
    const environment = { ...platform.environment, PUBLIC_URL: publicUrl };
    const { server, panel, token } = await withAgent(script, environment, clock);
    const daemon = await connectDaemon(server, token);
    const { channels } = panel;
    const channel = async () => (await channels.list.query()).find((one) => one.kind === kind);
    await expect.poll(channel).toMatchObject({ state: 'working' });
    const post = async (body: object) => {
      const headers = { authorization: `Bearer ${platform.token}` };
      const { status } = await server.send(platformOf(kind).webhookPath, { method: 'POST', headers, body });
      expect(status).toBe(200);
    };
    const groups = ['filesystemWrite' as const];
    const { code } = await channels.codes.create.mutate({ kind, groups });
    await post(platform.message(code));
    await expect.poll(() => platform.texts().at(-1)).toContain('You are paired');
    await channels.configure.mutate({ kind, isOn: true, answers: 'once' });
    const rights = { name: 'Alice', groups, usesMemory: false, answers: 'once' as const };
    await channels.senders.update.mutate({ kind, senderId: platform.alice, ...rights });
    await expect.poll(channel).toMatchObject({ state: 'working' });

    await post(platform.message('Write it'));
    const { requestId } = await nextCall(daemon);
    await daemon.respond(requestId, machineQuestion);
    await expect.poll(() => platform.hasButtons()).toBe(true);
    expect(platform.texts().at(-1)).toContain('Tool: write_file');
    await expect.poll(async () => (await panel.confirmations.list.query()).length).toBe(1);
    pass(600);
    await post(platform.pressOf('Allow once', platform.eve));
    expect(await panel.confirmations.list.query()).toHaveLength(1);
    await post(platform.pressOf('Allow once'));
    expect(await nextCall(daemon)).toMatchObject({
      requestId,
      toolCall: { arguments: { path: 'a', _confirmation: 'allowOnce' } },
    });
    await post(platform.pressOf('Deny'));
    await daemon.respond(requestId, resultOf('written'));
    await expect.poll(() => platform.texts().at(-1)).toBe('Ready.');
    await expect.poll(() => platform.changes()).toEqual([[expect.stringContaining('Allowed once'), 0]]);
  },
);
