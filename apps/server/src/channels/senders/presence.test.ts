import { expect, it } from 'vitest';
import { channelWorld } from '../../../test/channel-world.ts';
import { newToken, openPerson, openRpc } from '../../../test/rpc.ts';

it('CH-34 presence has the id and the name of a sender and of a group, also before the first message', async () => {
  const { telegram, channels, server, cookie, pair } = await channelWorld();
  const rpc = await openPerson(server, cookie);
  const presence = async () => (await rpc.call('system.presence', { channel: 'telegram' })).result;
  expect(await presence()).toMatchObject({ presence: [] });
  await pair();
  const alice = { channel: 'telegram', senderId: '77', senderName: 'Alice' };
  expect(await presence()).toMatchObject({ presence: [{ ...alice, messageCount: 0 }] });
  telegram.say('Hello');
  await expect.poll(() => telegram.texts()).toHaveLength(1);
  expect(await presence()).toMatchObject({
    presence: [{ ...alice, messageCount: 1, status: 'online' }],
    summary: { total: 1 },
  });

  const mention = { type: 'mention', offset: 0, length: 13 };
  const inTeam = { chat: { id: -5, type: 'group', title: 'Team' }, entities: [mention] };
  telegram.say('@stand_in_bot hi', inTeam);
  await expect.poll(() => channels.groups.list.query()).toHaveLength(1);
  expect(await presence()).toMatchObject({ summary: { total: 1 } });
  await channels.groups.update.mutate({ kind: 'telegram', conversation: '-5', isOn: true, groups: [] });
  telegram.say('@stand_in_bot hi', inTeam);
  await expect.poll(() => telegram.texts()).toHaveLength(2);
  const team = { channel: 'telegram', senderId: '-5', senderName: 'Team', messageCount: 1 };
  expect(await presence()).toMatchObject({ presence: [team, alice], summary: { total: 2 } });

  // A client that names a session like a sender is itself.
  const { token, id } = await newToken(server, cookie, ['agent']);
  await (await openRpc(server, token)).call('agent.send', { message: 'hi', sessionId: 'telegram:77' });
  const all = await presence();
  expect(all).toMatchObject({ presence: [{ senderId: id }, team, alice] });
});
