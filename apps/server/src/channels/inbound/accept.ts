import { platformOf } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { createPerMinute, cutText, withoutHidden } from '@drawbridge/kit';
import type { IncomingMessage, IncomingPress, IncomingReaction, Update } from '../adapter.ts';
import { codeIn } from '../senders/codes.ts';
import type { StoredSender } from '../senders/senders.store.ts';
import { createAcceptEmoji } from './accept-emoji.ts';
import { createInGroup, createPaired, createSenderLimits, createStoreMessage } from './accept-message.ts';
import { createWrites, replyIdOf, type AcceptNeeds, type Writes } from './writes.ts';

/** What a message is for this server. */
type Meaning =
  /** Others read it too. */
  | { type: 'group' }
  | { type: 'code'; code: string }
  /** A paired sender sends a code. */
  | { type: 'paired-already' }
  /** Of somebody who is not paired. */
  | { type: 'unknown' }
  | { type: 'message' };

/** `isPaired`: the sender is bound to an account that may sign in. */
const meaningOf = (
  { group, subject, text }: Pick<IncomingMessage, 'group' | 'subject' | 'text'>,
  isPaired: boolean,
): Meaning => {
  if (group !== null) return { type: 'group' };
  const given = codeIn(subject ?? text);
  if (isPaired) return given?.isAsked === true ? { type: 'paired-already' } : { type: 'message' };
  return given === null ? { type: 'unknown' } : { type: 'code', code: given.code };
};

/** A name that others chose: one short line, and nothing in it that changes the text beside it. */
const plainName = (name: string): string =>
  cutText(withoutHidden(name).text.replace(/\s+/g, ' ').trim(), channelLimits.nameLength);

const withPlainSender = <Event extends IncomingMessage | IncomingReaction>(event: Event): Event => ({
  ...event,
  sender: { ...event.sender, name: plainName(event.sender.name) || 'Somebody' },
});

const withPlainNames = (message: IncomingMessage): IncomingMessage => ({
  ...withPlainSender(message),
  group: message.group && { ...message.group, title: plainName(message.group.title) },
});

/** Of a sender who is not paired. */
const createUnpaired = (
  { kind, clock, codes, isUser, onPaired, reactions }: AcceptNeeds,
  { commit, say }: Writes,
) => {
  const { hintsPerHour, hintMs, wrongCodesMs } = channelLimits;
  const { hasHints } = platformOf(kind);
  const hints = createPerMinute({ clock, max: hintsPerHour, windowMs: wrongCodesMs });
  const hintOfSender = createPerMinute({ clock, max: 1, windowMs: hintMs });

  return {
    pair: async (update: Update, message: IncomingMessage, given: string): Promise<void> => {
      const { sender } = message;
      const code = await codes.find(kind, sender.id, given);
      if (code !== null && (await isUser(code.userId))) {
        const text = 'You are paired. Write to the agent here. /help shows the commands, /unpair ends it.';
        const writes = codes.use(code, message);
        const isPaired = await say(update, message, { text, senderId: sender.id, writes });
        if (isPaired) return onPaired({ userId: code.userId, name: sender.name });
      }
      const text = 'This code is not valid. A code lasts five minutes and works once.';
      await (hasHints ? say(update, message, { text }) : commit(update));
    },
    hint: async (update: Update, message: IncomingMessage): Promise<void> => {
      reactions.noteUnpaired();
      const isSaid = hasHints && hintOfSender.use(message.sender.id) === null && hints.use(kind) === null;
      const text = 'This bot answers paired people. Make a code in Drawbridge, under Channels.';
      await (isSaid ? say(update, message, { text }) : commit(update));
    },
  };
};

/** The press of a button: stored with the cursor, then acted on. */
const createPress =
  ({ presses, onPress, acknowledge, onError }: AcceptNeeds, { commit }: Writes) =>
  async (update: Update, press: IncomingPress, sender: StoredSender | null): Promise<void> => {
    const verdict = await presses(press, sender);
    if (verdict.type === 'refused') {
      await commit(update);
      return acknowledge(press, verdict.text);
    }
    if (!(await commit(update, [verdict.write]))) {
      await commit(update);
      return acknowledge(press, 'This question was answered before.');
    }
    onPress(verdict.questionId).then((words) => acknowledge(press, words ?? ''), onError);
  };

/**
 * Stores an update of a platform together with the cursor behind it, in one transaction: once that resolves,
 * the platform may forget the update. What a sender who is not paired writes is not stored.
 */
export const createAccept = (needs: AcceptNeeds) => {
  const { kind, senders, messages, codes, isUser } = needs;
  const writes = createWrites(needs);
  const { commit, say } = writes;
  const { pair, hint } = createUnpaired(needs, writes);
  const shared = { limits: createSenderLimits(needs), store: createStoreMessage(needs, writes) };
  const acceptMessage = createPaired(needs, writes, shared);
  const acceptEmoji = createAcceptEmoji(needs, writes, shared);
  const acceptInGroup = createInGroup(needs, writes, acceptMessage);
  const acceptPress = createPress(needs, writes);

  return async (update: Update): Promise<void> => {
    const { event } = update;
    if (event === null) return void (await commit(update));
    // A code that comes again after it has paired its sender is no message.
    if (await messages.isKnown({ kind, updateId: update.updateId }, replyIdOf(kind, update)))
      return void (await commit(update));
    const sender = await senders.find(kind, event.sender.id);
    const isPaired = sender !== null && (await isUser(sender.userId));
    if (event.type === 'press') return acceptPress(update, event, isPaired ? sender : null);
    if (event.type === 'reaction')
      return acceptEmoji(update, withPlainSender(event), isPaired ? sender : null);
    const message = withPlainNames(event);
    if (!isPaired && codes.isIgnored(kind, message.sender.id)) return void (await commit(update));
    const meaning = meaningOf(message, isPaired);
    switch (meaning.type) {
      case 'group':
        return acceptInGroup(update, message, isPaired ? sender : null);
      case 'code':
        return pair(update, message, meaning.code);
      case 'paired-already': {
        const text = 'You are paired already. /unpair ends it; then send the code again.';
        return void (await say(update, message, { text }));
      }
      case 'unknown':
        return hint(update, message);
      case 'message':
        return sender === null ? void (await commit(update)) : acceptMessage(update, message, sender);
      default:
        return meaning satisfies never;
    }
  };
};

export type Accept = ReturnType<typeof createAccept>;
