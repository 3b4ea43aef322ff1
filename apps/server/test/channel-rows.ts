import type { WithId } from './foreign-ids.ts';
import { procedureWithId } from './procedures.ts';

const senderOf = (senderId: string) => ({ kind: 'telegram', senderId });
const groupOf = (conversation: string) => ({ kind: 'telegram', conversation });
const groupOn = (conversation: string) => ({ ...groupOf(conversation), isOn: true, groups: [] });

export const stopRule = { when: { on: 'message' }, do: { type: 'stop' } };
/** What has the id of a code, a sender, a group or a rule of chat channels. */
export const channelRows: Record<string, WithId> = {
  'channels.codes.remove': procedureWithId('channels.codes.remove', undefined, (id) => ({ id })),
  'channels.senders.update': procedureWithId('channels.senders.update', undefined, (senderId) => ({
    kind: 'telegram',
    senderId,
    name: 'Phone',
    groups: [],
    usesMemory: false,
    answers: 'off',
  })),
  'channels.senders.remove': procedureWithId('channels.senders.remove', undefined, senderOf),
  'channels.groups.update': procedureWithId('channels.groups.update', undefined, groupOn),
  'channels.groups.remove': procedureWithId('channels.groups.remove', undefined, groupOf),
  'channels.rules.update': procedureWithId('channels.rules.update', undefined, (id) => ({ id, ...stopRule })),
  'channels.rules.remove': procedureWithId('channels.rules.remove', undefined, (id) => ({ id })),
  'channels.rules.order': procedureWithId('channels.rules.order', undefined, (id) => ({ ids: [id] })),
};
