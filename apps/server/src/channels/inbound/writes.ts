import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import type { Clock } from '@drawbridge/kit';
import type { Write } from '../../db/index.ts';
import type { AccountsStore } from '../accounts.store.ts';
import type { IncomingMessage, IncomingPress, Update } from '../adapter.ts';
import type { ChannelCounts } from '../counts.ts';
import type { GroupsStore } from '../groups/groups.store.ts';
import type { Presses } from '../questions/presses.ts';
import type { Reactions } from '../reactions/reactions.ts';
import type { Codes } from '../senders/codes.ts';
import type { SendersStore } from '../senders/senders.store.ts';
import type { ConversationKey, MessagesStore } from '../turns/messages.store.ts';
import { newReply } from '../turns/new-reply.ts';

export interface AcceptNeeds {
  kind: ChannelKind;
  clock: Clock;
  accounts: AccountsStore;
  senders: SendersStore;
  messages: MessagesStore;
  groups: GroupsStore;
  counts: ChannelCounts;
  reactions: Reactions;
  codes: Codes;
  isUser(userId: string): Promise<boolean>;
  /** A message waits for the agent. */
  onMessage(conversation: ConversationKey): void;
  /** A reply waits for the platform. */
  onReply(conversation: ConversationKey): void;
  /** Which presses of buttons count. */
  presses: Presses;
  /** A press is stored: resolves to its outcome, in words. */
  onPress(questionId: string): Promise<string | null>;
  /** Says something to who has pressed a button. */
  acknowledge(press: IncomingPress, text: string): void;
  onError(error: unknown): void;
  /** A sender is bound to an account now. */
  onPaired(sender: { userId: string; name: string }): void;
}

/** Of what is said at once. */
export const replyIdOf = (kind: ChannelKind, { updateId }: Update) => `${kind} ${updateId}`;

/** Writes and replies of one update, together with the cursor behind it. */
export const createWrites = ({ kind, clock, accounts, messages, onReply }: AcceptNeeds) => {
  const cursorOf = ({ cursor }: Update) =>
    cursor === null ? [] : [accounts.moveCursor(kind, cursor, clock.now())];
  /** False where a row for one of the writes is gone. */
  const commit = (update: Update, writes: readonly Write[] = []): Promise<boolean> =>
    messages.commit([...writes, ...cursorOf(update)], 'synced');

  /** The same with a reply at once; `senderId`: of a sender who is paired. */
  const say = async (
    update: Update,
    { conversation, address }: IncomingMessage,
    { text, senderId = '', writes = [] }: { text: string; senderId?: string; writes?: readonly Write[] },
  ): Promise<boolean> => {
    const place = { id: replyIdOf(kind, update), kind, conversation, address };
    const reply = newReply(place, { text, senderId, at: clock.now() });
    const isWritten = await commit(update, [...writes, messages.replies.insert(reply)]);
    if (isWritten) onReply({ kind, conversation });
    return isWritten;
  };

  return { commit, say };
};

export type Writes = ReturnType<typeof createWrites>;
