import type { IncomingReaction, Update } from '../adapter.ts';
import type { StoredSender } from '../senders/senders.store.ts';
import { isInGroup } from '../turns/lane-sender.ts';
import type { SenderLimits, StoreMessage } from './accept-message.ts';
import { emojiAsData, givenBy } from './with-rules.ts';
import type { AcceptNeeds, Writes } from './writes.ts';

/** An emoji on a message: it is for the rules of the sender's account alone, and answers nothing. */
export const createAcceptEmoji =
  (
    { kind, groups, messages, reactions }: AcceptNeeds,
    { commit }: Writes,
    { limits, store }: { limits: SenderLimits; store: StoreMessage },
  ) =>
  async (update: Update, emoji: IncomingReaction, sender: StoredSender | null): Promise<void> => {
    const { conversation, emojis, address, messageId, sentAt } = emoji;
    if (sender === null) {
      reactions.noteUnpaired();
      return void (await commit(update));
    }
    const { userId, senderId } = sender;
    const isOtherGroup =
      isInGroup({ conversation, senderId }) &&
      (await groups.answering(kind, conversation))?.userId !== userId;
    if (isOtherGroup) return void (await commit(update));
    const event = { on: 'emoji', kind, senderId, text: '', emojis } as const;
    const outcome = await reactions.decide(userId, event, () => !limits.isTooMany(senderId));
    if (outcome.handling.type === 'stop' || outcome.handling.type === 'prompt') {
      const said = await messages.replies.said({ kind, conversation }, messageId);
      const given = givenBy(outcome.handling, { text: '', files: [] }, () => emojiAsData(emoji, said));
      await store(update, { conversation, senderId, userId, address, sentAt, ...given });
    } else await commit(update);
    reactions.done(userId, outcome, { kind, messageId, address });
  };
