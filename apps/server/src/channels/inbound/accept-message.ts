import { platformOf } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { createPerMinute } from '@drawbridge/kit';
import type { IncomingMessage, Update } from '../adapter.ts';
import { codeIn } from '../senders/codes.ts';
import type { StoredSender } from '../senders/senders.store.ts';
import { isStop } from '../turns/answers.ts';
import type { StoredMessage } from '../turns/messages.store.ts';
import { givenBy, messageAsData } from './with-rules.ts';
import type { AcceptNeeds, Writes } from './writes.ts';

const noticeMs = 10 * 60 * 1_000;
const hourMs = 60 * 60 * 1_000;
const dayMs = 24 * hourMs;

/** How much the senders of a channel may write. */
export const createSenderLimits = ({ kind, clock }: Pick<AcceptNeeds, 'kind' | 'clock'>) => {
  const perMinute = createPerMinute({ clock, max: channelLimits.messagesPerMinute });
  const perDay = createPerMinute({ clock, max: channelLimits.messagesPerDay, windowMs: dayMs });
  const { messagesPerHour } = platformOf(kind);
  const perHour =
    messagesPerHour === null ? null : createPerMinute({ clock, max: messagesPerHour, windowMs: hourMs });
  const notices = createPerMinute({ clock, max: 1, windowMs: perHour === null ? noticeMs : hourMs });
  return {
    /** Counts one message. */
    isTooMany: (senderId: string): boolean =>
      [perMinute, perHour, perDay].some((limit) => (limit?.use(senderId) ?? null) !== null),
    isNoticeDue: (senderId: string): boolean => notices.use(senderId) === null,
  };
};

export type SenderLimits = ReturnType<typeof createSenderLimits>;

/** Stores a message for the agent together with the cursor behind it. */
export const createStoreMessage = (
  { kind, clock, messages, counts, onMessage }: AcceptNeeds,
  writes: Writes,
) => {
  let last = 0;
  /** Strictly rising, so that messages of the same instant keep their order. */
  const nextTime = () => (last = Math.max(clock.now(), last + 1));

  type Row = Omit<StoredMessage, 'kind' | 'updateId' | 'receivedAt' | 'isSpoken' | 'address' | 'files'>;
  return async (
    update: Update,
    { address, files, ...row }: Row & Pick<IncomingMessage, 'address' | 'files'>,
    more: Parameters<Writes['commit']>[1] = [],
  ): Promise<void> => {
    const message = {
      ...row,
      kind,
      updateId: update.updateId,
      address: JSON.stringify(address),
      files: files.length === 0 ? null : JSON.stringify(files),
      receivedAt: nextTime(),
      isSpoken: 0,
    };
    if (!(await writes.commit(update, [messages.insert(message), ...more]))) return;
    counts.add(kind, 'received');
    onMessage({ kind, conversation: row.conversation });
  };
};

export type StoreMessage = ReturnType<typeof createStoreMessage>;

/** Of a sender who is paired. */
export const createPaired = (
  needs: AcceptNeeds,
  { commit, say }: Writes,
  { limits, store }: { limits: SenderLimits; store: StoreMessage },
) => {
  const { kind, clock, senders, reactions } = needs;
  const on = kind === 'gmail' ? 'mail' : 'message';

  return async (
    update: Update,
    message: IncomingMessage,
    { userId, senderId }: StoredSender,
  ): Promise<void> => {
    const { conversation, address, text, files, sentAt, messageId } = message;
    if (limits.isTooMany(senderId) && !isStop(text)) {
      const notice = 'These are too many messages. Wait a moment; the newest ones were left out.';
      const isDue = limits.isNoticeDue(senderId);
      return void (await (isDue ? say(update, message, { text: notice }) : commit(update)));
    }
    if (text.trim() === '' && files.length === 0) return void (await commit(update));
    const event = { on, kind, senderId, text, emojis: [] } as const;
    const outcome = await reactions.decide(userId, event, () => true);
    const given = givenBy(outcome.handling, message, () => messageAsData(on, message));
    const seen = { at: clock.now(), address: message.group ? null : JSON.stringify(address) };
    const row = { conversation, senderId, userId, address, sentAt, ...given };
    await store(update, row, [senders.noteSeen(kind, senderId, seen)]);
    reactions.done(userId, outcome, messageId === null ? null : { kind, messageId, address });
  };
};

/** A message that others read too: of a sender who is paired, where their account has turned the group on. */
export const createInGroup = (
  { kind, clock, groups, codes, reactions }: AcceptNeeds,
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
    const isMention = group?.isMention === true;
    if (isMention && sender === null) reactions.noteUnpaired();
    if (isCode || sender === null || !isMention) return void (await commit(update));
    const answering = await groups.answering(kind, conversation);
    if (answering === null) return void (await commit(update, await note(message, sender)));
    if (answering.userId !== sender.userId) return void (await commit(update));
    await acceptMessage(update, message, sender);
  };
};
