import type { Sender } from '@drawbridge/agent';
import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type { GroupsStore } from '../groups/groups.store.ts';
import type { SendersStore, StoredSender } from '../senders/senders.store.ts';
import { isStop } from './answers.ts';
import type { ConversationKey, StoredMessage } from './messages.store.ts';

type Claim = (
  user: { userId: string; principal: string },
  sessionId: string,
) => Promise<{ threadId: string } | null>;

/** The chats of conversations, by their names. The panel reads this type, which knows no other room. */
export interface ChannelSessions {
  claim: Claim;
  find: Claim;
}

/** The name of the conversation's session. */
export const sessionOf = ({ kind, conversation }: ConversationKey): string =>
  `${kind}:${conversation}`.replace(/[^\w:.@/+-]/g, '-');

/** The conversation of a chat with one person has the id of the person. */
export const isInGroup = ({
  conversation,
  senderId,
}: Pick<StoredMessage, 'conversation' | 'senderId'>): boolean => conversation !== senderId;

/** Who has written a message, for the agent and for this server. */
export interface NamedSender {
  lane: Sender;
  paired: StoredSender;
}

interface Needs {
  senders: Pick<SendersStore, 'find'>;
  groups: Pick<GroupsStore, 'answering'>;
}

/**
 * Who writes, for the agent: the sender, or the group, which has rights of its own and no memory. Null for
 * a sender who is no longer paired, and in a group that was turned off.
 */
export const createLaneSender =
  ({ senders, groups }: Needs) =>
  async (row: StoredMessage): Promise<NamedSender | null> => {
    const { kind: channel, conversation, userId } = row;
    const paired = await senders.find(channel as ChannelKind, row.senderId);
    if (paired === null) return null;
    if (!isInGroup(row)) {
      const { groups: tools, usesMemory } = paired;
      const key = `${channel}:${paired.senderId}`;
      return { lane: { userId: paired.userId, key, channel, groups: tools, usesMemory }, paired };
    }
    const group = await groups.answering(channel, conversation);
    if (group?.userId !== userId || paired.userId !== userId) return null;
    const key = sessionOf(row);
    return { lane: { userId, key, channel, groups: group.groups, usesMemory: false }, paired };
  };

/** The answer to a command that channels alone have; null for every other text. */
export const ownAnswer = (row: StoredMessage, { name, groups }: StoredSender): string | null => {
  const { text } = row;
  const [command = ''] = text.trim().toLowerCase().split(/\s+/);
  // What commands say is of one person.
  if (isInGroup(row) && command.startsWith('/') && !isStop(text))
    return 'Commands work in your own chat with the bot. Here only /stop does.';
  if (command === '/start') return 'Write to the agent here. /help shows the commands.';
  if (command !== '/whoami') return null;
  const tools = groups.length === 0 ? 'none' : groups.join(', ');
  return `You are ${name} here. Tools of machines that your messages may use: ${tools}.`;
};
