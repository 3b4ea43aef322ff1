import { platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { createPerMinute, cutText, withoutHidden, type Clock } from '@drawbridge/kit';
import type { Write } from '../../db/index.ts';
import type { AccountsStore } from '../accounts.store.ts';
import type { IncomingMessage, IncomingPress, Update } from '../adapter.ts';
import type { Presses } from '../questions/presses.ts';
import type { ChannelCounts } from '../counts.ts';
import type { GroupsStore } from '../groups/groups.store.ts';
import { codeIn, type Codes } from '../senders/codes.ts';
import type { SendersStore, StoredSender } from '../senders/senders.store.ts';
import type { ConversationKey, MessagesStore } from '../turns/messages.store.ts';
import { isStop } from '../turns/answers.ts';
import { newReply } from '../turns/new-reply.ts';

interface Needs {
  kind: ChannelKind;
  clock: Clock;
  accounts: AccountsStore;
  senders: SendersStore;
  messages: MessagesStore;
  groups: GroupsStore;
  counts: ChannelCounts;
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

const withPlainNames = (message: IncomingMessage): IncomingMessage => ({
  ...message,
  sender: { ...message.sender, name: plainName(message.sender.name) || 'Somebody' },
  group: message.group && { ...message.group, title: plainName(message.group.title) },
});

const noticeMs = 10 * 60 * 1_000;
const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

/** Of what is said at once. */
const replyIdOf = (kind: ChannelKind, { updateId }: Update) => `${kind} ${updateId}`;

/** Writes and replies of one update, together with the cursor behind it. */
const createWrites = ({ kind, clock, accounts, messages, onReply }: Needs) => {
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

type Writes = ReturnType<typeof createWrites>;

/** Of a sender who is not paired. */
const createUnpaired = ({ kind, clock, codes, isUser, onPaired }: Needs, { commit, say }: Writes) => {
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
      const isSaid = hasHints && hintOfSender.use(message.sender.id) === null && hints.use(kind) === null;
      const text = 'This bot answers paired people. Make a code in Drawbridge, under Channels.';
      await (isSaid ? say(update, message, { text }) : commit(update));
    },
  };
};

/** Of a sender who is paired. */
const createPaired = (needs: Needs, { commit, say }: Writes) => {
  const { kind, clock, senders, messages, counts, onMessage } = needs;
  const perMinute = createPerMinute({ clock, max: channelLimits.messagesPerMinute });
  const perDay = createPerMinute({ clock, max: channelLimits.messagesPerDay, windowMs: dayMs });
  const { messagesPerHour } = platformOf(kind);
  const perHour =
    messagesPerHour === null ? null : createPerMinute({ clock, max: messagesPerHour, windowMs: hourMs });
  const notices = createPerMinute({ clock, max: 1, windowMs: perHour === null ? noticeMs : hourMs });
  const isTooMany = (senderId: string) =>
    [perMinute, perHour, perDay].some((limit) => (limit?.use(senderId) ?? null) !== null);
  let last = 0;
  /** Strictly rising, so that messages of the same instant keep their order. */
  const nextTime = () => (last = Math.max(clock.now(), last + 1));

  return async (update: Update, message: IncomingMessage, { userId, senderId }: StoredSender) => {
    const { conversation, address, text, files, sentAt } = message;
    if (isTooMany(senderId) && !isStop(text)) {
      const isSaid = notices.use(senderId) === null;
      const notice = 'These are too many messages. Wait a moment; the newest ones were left out.';
      return isSaid ? say(update, message, { text: notice }) : commit(update);
    }
    if (text.trim() === '' && files.length === 0) return commit(update);
    const row = {
      kind,
      updateId: update.updateId,
      conversation,
      senderId,
      userId,
      address: JSON.stringify(address),
      text,
      files: files.length === 0 ? null : JSON.stringify(files),
      sentAt,
      receivedAt: nextTime(),
      isSpoken: 0,
      state: 'accepted' as const,
    };
    const writes = [
      messages.insert(row),
      senders.noteSeen(kind, senderId, { at: clock.now(), address: message.group ? null : row.address }),
    ];
    if (await commit(update, writes)) {
      counts.add(kind, 'received');
      onMessage({ kind, conversation });
    }
    return true;
  };
};

/** A message that others read too: of a sender who is paired, where their account has turned the group on. */
const createInGroup = (
  { kind, clock, groups, codes }: Needs,
  { commit }: Writes,
  acceptMessage: ReturnType<typeof createPaired>,
) => {
  /** The account sees the group, and may turn it on. */
  const note = async ({ conversation, group }: IncomingMessage, { userId }: StoredSender) =>
    group === null
      ? []
      : groups.note({ kind, conversation, userId, title: group.title, seenAt: clock.now() });

  return async (update: Update, message: IncomingMessage, sender: StoredSender | null): Promise<void> => {
    const { conversation, group, text } = message;
    const given = codeIn(text);
    // Others have read the code.
    const isCode = given !== null && (await codes.end(kind, given.code));
    if (isCode || sender === null || group?.isMention !== true) return void (await commit(update));
    const answering = await groups.answering(kind, conversation);
    if (answering === null) return void (await commit(update, await note(message, sender)));
    if (answering.userId !== sender.userId) return void (await commit(update));
    await acceptMessage(update, message, sender);
  };
};

/** The press of a button: stored with the cursor, then acted on. */
const createPress =
  ({ presses, onPress, acknowledge, onError }: Needs, { commit }: Writes) =>
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
export const createAccept = (needs: Needs) => {
  const { kind, senders, messages, codes, isUser } = needs;
  const writes = createWrites(needs);
  const { commit, say } = writes;
  const { pair, hint } = createUnpaired(needs, writes);
  const acceptMessage = createPaired(needs, writes);
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
        return void (await (sender === null ? commit(update) : acceptMessage(update, message, sender)));
      default:
        return meaning satisfies never;
    }
  };
};

export type Accept = ReturnType<typeof createAccept>;
