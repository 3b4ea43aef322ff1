import type { RequestEnd } from '@drawbridge/agent';
import { channelLimits, type ChannelKind } from '@drawbridge/contracts/outside/channels';
import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type { Address } from '../adapter.ts';
import { splitMarkdown } from '../format/split.ts';
import type { SendersStore, StoredSender } from '../senders/senders.store.ts';
import type { ConversationKey, MessagesStore, StoredMessage } from './messages.store.ts';
import { newReply } from './new-reply.ts';

interface Needs {
  clock: Clock;
  messages: MessagesStore;
  senders: SendersStore;
  /** The address of the panel. */
  url(): string;
  onReply(conversation: ConversationKey): void;
}

/** In UTF-16 units. Telegram takes 4,096 without tags. */
const partLength: Record<ChannelKind, number> = {
  telegram: 3_900,
  bluebubbles: 4_000,
  'google-chat': 4_000,
  teams: 20_000,
};

const address = z.record(z.string(), z.unknown());
export const addressOf = (row: Pick<StoredMessage, 'address'>): Address =>
  address.parse(JSON.parse(row.address));

export const keyOf = ({ kind, updateId }: Pick<StoredMessage, 'kind' | 'updateId'>): string =>
  `${kind} ${updateId}`;

/** What the sender reads when a message has ended; null: the answer to another message has it. */
const textOfEnd = (end: RequestEnd): string | null => {
  // Merged or steered into the run of another message.
  if ('how' in end && (end.how === 'merged' || end.how === 'steered')) return null;
  switch (end.outcome) {
    case 'completed':
      return end.content.trim() === '' ? 'Done.' : end.content;
    case 'error':
    case 'interrupted':
      return end.message;
    case 'cancelled':
      return 'Stopped.';
    case 'overflow':
      return 'Too many messages wait in this chat. Send it again later, or /stop.';
    case 'superseded':
      return null;
    case 'busy':
      return 'The agent is busy. Send it again later.';
    default:
      return end satisfies never;
  }
};

/** Answers to messages: each is stored with the end of its message, in one transaction, before it is sent. */
export const createAnswers = ({ clock, messages, senders, url, onReply }: Needs) => {
  const partsOf = ({ kind }: StoredMessage, text: string): string[] => {
    const parts = splitMarkdown(text, partLength[kind as ChannelKind]);
    if (parts.length <= channelLimits.replyParts) return parts;
    return [...parts.slice(0, channelLimits.replyParts), `The rest is in Drawbridge: ${url()}`];
  };

  const repliesTo = (row: StoredMessage, id: string, texts: readonly string[]) => {
    const { kind, conversation, senderId } = row;
    const place = { id, kind, conversation, address: addressOf(row) };
    const at = clock.now();
    return texts.map((text, part) => messages.replies.insert(newReply(place, { text, senderId, at, part })));
  };

  /** `id`: of the answer, so that an answer that is made again is sent once. */
  const answer = async (
    row: StoredMessage,
    text: string | null,
    id = `${keyOf(row)} answer`,
  ): Promise<void> => {
    const replies = text === null ? [] : repliesTo(row, id, partsOf(row, text));
    // False for the message of a sender who is no longer paired: it is gone.
    if (await messages.commit([messages.answered(row), ...replies], 'synced')) onReply(row);
  };

  return {
    answer,
    end: (row: StoredMessage, end: RequestEnd): Promise<void> => {
      const runId = 'runId' in end ? end.runId : null;
      return answer(row, textOfEnd(end), runId === null ? undefined : `${row.kind} run ${runId}`);
    },
    /** Ends the pairing, with all that waits for the sender. */
    unpair: async (row: StoredMessage, sender: StoredSender): Promise<void> => {
      const text = 'You are no longer paired. What you write here is not read any more.';
      const goodbye = repliesTo({ ...row, senderId: '' }, `${keyOf(row)} answer`, [text]);
      await messages.commit([...senders.remove(sender), ...goodbye], 'synced');
      onReply(row);
    },
  };
};
