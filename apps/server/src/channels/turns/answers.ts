import type { Agent, RequestEnd } from '@drawbridge/agent';
import { platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import type { Clock } from '@drawbridge/kit';
import type { SpeechService } from '../../voice/index.ts';
import { z } from 'zod';
import type { Address } from '../adapter.ts';
import { splitMarkdown } from '../format/split.ts';
import type { SendersStore, StoredSender } from '../senders/senders.store.ts';
import type { ConversationKey, MessagesStore, StoredMessage } from './messages.store.ts';
import { newReply, type RepliedFile } from './new-reply.ts';

interface Needs {
  clock: Clock;
  messages: MessagesStore;
  senders: SendersStore;
  speech: Pick<SpeechService, 'isOn'>;
  /** The address of the panel. */
  url(): string;
  onReply(conversation: ConversationKey): void;
}

/** Of an answer: a text, a file with the text that may stand for it, or a text that is read out. */
interface Part {
  text: string;
  file?: RepliedFile;
  isSpoken?: boolean;
}

interface Ending {
  agent: Pick<Agent, 'threads'>;
  threadId: string;
}

/** In UTF-16 units. Telegram takes 4,096 without tags. */
const partLength: Record<ChannelKind, number> = {
  telegram: 3_900,
  bluebubbles: 4_000,
  'google-chat': 4_000,
  teams: 20_000,
  gmail: 200_000,
};

const address = z.record(z.string(), z.unknown());
export const addressOf = (row: Pick<StoredMessage, 'address'>): Address =>
  address.parse(JSON.parse(row.address));

export const keyOf = ({ kind, updateId }: Pick<StoredMessage, 'kind' | 'updateId'>): string =>
  `${kind} ${updateId}`;

/** What ends the work in a chat; its sender may send it at any time. */
export const isStop = (text: string): boolean => /^\/(stop|cancel)\b/i.test(text);

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
export const createAnswers = ({ clock, messages, senders, speech, url, onReply }: Needs) => {
  const isReadOut = async (row: StoredMessage): Promise<boolean> => {
    const kind = row.kind as ChannelKind;
    if (!speech.isOn || !platformOf(kind).hasVoice) return false;
    const speak = (await senders.find(kind, row.senderId))?.speak ?? 'never';
    return speak === 'always' || (speak === 'voice' && (await messages.spoken.has(row)));
  };

  const partsOf = ({ kind }: StoredMessage, text: string): string[] => {
    const parts = splitMarkdown(text, partLength[kind as ChannelKind]);
    if (parts.length <= channelLimits.replyParts) return parts;
    return [...parts.slice(0, channelLimits.replyParts), `The rest is in Drawbridge: ${url()}`];
  };

  const repliesTo = (row: StoredMessage, id: string, said: readonly Part[]) => {
    const { kind, conversation, senderId } = row;
    const place = { id, kind, conversation, address: addressOf(row) };
    const at = clock.now();
    return said.map((one, part) => messages.replies.insert(newReply(place, { ...one, senderId, at, part })));
  };

  /** `id`: of the answer, so that an answer that is made again is sent once. */
  const answer = async (
    row: StoredMessage,
    text: string | null,
    { id = `${keyOf(row)} answer`, more = [] }: { id?: string | undefined; more?: readonly Part[] } = {},
  ): Promise<void> => {
    const texts = text === null ? [] : partsOf(row, text).map((part) => ({ text: part }));
    const replies = repliesTo(row, id, [...texts, ...more]);
    // False for the message of a sender who is no longer paired: it is gone.
    if (await messages.commit([messages.answered(row), ...replies], 'synced')) onReply(row);
  };

  return {
    answer,
    /** A sentence before the answer, once. */
    note: async (row: StoredMessage, text: string): Promise<void> => {
      if (await messages.commit(repliesTo(row, `${keyOf(row)} note`, [{ text }]), 'synced')) onReply(row);
    },
    end: async (row: StoredMessage, end: RequestEnd, { agent, threadId }: Ending): Promise<void> => {
      const runId = 'runId' in end ? end.runId : null;
      const text = textOfEnd(end);
      if (runId === null || text === null) return answer(row, text);
      const { userId } = row;
      const sent = await agent.threads.sentFiles(userId, runId);
      const files = sent.map((file) => ({
        // Read where the platform takes no such file.
        text: `${file.name.replaceAll(/[^\p{L}\p{N} .-]/gu, ' ')} is in Drawbridge: ${url()}/chat/${threadId}`,
        file: { ...file, userId },
      }));
      const hasText = end.outcome === 'completed' && end.content.trim() !== '';
      const isSaid = hasText && (await isReadOut(row));
      const said = isSaid ? [{ text, isSpoken: true }] : [];
      // A file says enough.
      const own = end.outcome === 'completed' && !hasText && files.length > 0 ? null : text;
      return answer(row, own, { id: `${row.kind} run ${runId}`, more: [...files, ...said] });
    },
    /** Ends the pairing, with all that waits for the sender. */
    unpair: async (row: StoredMessage, sender: StoredSender): Promise<void> => {
      const text = 'You are no longer paired. What you write here is not read any more.';
      const goodbye = repliesTo({ ...row, senderId: '' }, `${keyOf(row)} answer`, [{ text }]);
      await messages.commit([...senders.remove(sender), ...goodbye], 'synced');
      onReply(row);
    },
  };
};

export type Answers = ReturnType<typeof createAnswers>;
