import { expect, it } from 'vitest';
import type { StoredGroup } from '../groups/groups.store.ts';
import type { StoredSender } from '../senders/senders.store.ts';
import { createLaneSender } from './lane-sender.ts';
import type { StoredMessage } from './messages.store.ts';

const row = { kind: 'telegram', conversation: '-5', senderId: '77', userId: 'ann' } as StoredMessage;
const sender = { senderId: '77', userId: 'ann', groups: ['shell'], usesMemory: true } as StoredSender;
const group = { userId: 'ann', groups: ['filesystemRead'] } as StoredGroup;
const named = (paired: StoredSender | null, answering: StoredGroup | null) =>
  createLaneSender({ senders: { find: async () => paired }, groups: { answering: async () => answering } })(
    row,
  );

it('CH-17 in a group all have its tools, and the agent remembers nothing of the person', async () => {
  expect((await named(sender, group))?.lane).toEqual({
    userId: 'ann',
    key: 'telegram:-5',
    channel: 'telegram',
    groups: ['filesystemRead'],
    usesMemory: false,
  });
});

it.each<[string, StoredSender | null, StoredGroup | null]>([
  ['is no longer paired', null, group],
  ['is paired with another account now', { ...sender, userId: 'ben' }, group],
  ['has written in a group that was turned off', sender, null],
  ['has written in a group that answers another account', sender, { ...group, userId: 'ben' }],
])('CH-18 a message whose sender %s is not run', async (_what, paired, answering) => {
  expect(await named(paired, answering)).toBeNull();
});
