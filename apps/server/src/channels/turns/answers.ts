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
import { draftIdOf, newReply, type RepliedFile } from './new-reply.ts';

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

interface Said {
  text: string | null;
  /** Of the answer, so that an answer that is made again is sent once. */
  id: string;
  /** The draft that its first message replaces. */
  edits: string | undefined;
  /** Behind the text. */
  more: readonly Part[];
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

const hasContent = (end: RequestEnd): boolean => end.outcome === 'completed' && end.content.trim() !== '';

/** Behind a text that is still being written. */
const unfinished = ' …';

/** The beginning of a text that fits into one message, marked as not complete. */
export const begunOf = ({ kind }: Pick<StoredMessage, 'kind'>, text: string): string => {
  const [first = ''] = splitMarkdown(text, partLength[kind as ChannelKind] - unfinished.length);
  return first + unfinished;
};

/** What goes back to a conversation, in parts. */
const createParts = ({ clock, messages, url }: Pick<Needs, 'clock' | 'messages' | 'url'>) => {
  const partsOf = ({ kind }: StoredMessage, text: string): string[] => {
    const parts = splitMarkdown(text, partLength[kind as ChannelKind]);
    if (parts.length <= channelLimits.replyParts) return parts;
    return [...parts.slice(0, channelLimits.replyParts), `The rest is in Drawbridge: ${url()}`];
  };

  const repliesTo = (
    row: Pick<StoredMessage, 'kind' | 'conversation' | 'senderId' | 'address'>,
    { id, edits }: { id: string; edits?: string | undefined },
    said: readonly Part[],
  ) => {
    const { kind, conversation, senderId } = row;
    const place = { id, kind, conversation, address: addressOf(row) };
    const at = clock.now();
    return said.map((one, part) =>
      messages.replies.insert(
        newReply(
          { ...place, ...(part === 0 && edits !== undefined && { edits }) },
          { ...one, senderId, at, part },
        ),
      ),
    );
  };

  const textsOf = (row: StoredMessage, text: string | null): Part[] =>
    text === null ? [] : partsOf(row, text).map((part) => ({ text: part }));

  return { textsOf, repliesTo };
};

/** What the end of a run gives to the chat. */
const createSaid = ({ messages, senders, speech, url }: Omit<Needs, 'clock' | 'onReply'>) => {
  const isReadOut = async (row: StoredMessage): Promise<boolean> => {
    const kind = row.kind as ChannelKind;
    if (!speech.isOn || !platformOf(kind).hasVoice) return false;
    const speak = (await senders.find(kind, row.senderId))?.speak ?? 'never';
    return speak === 'always' || (speak === 'voice' && (await messages.spoken.has(row)));
  };

  /** What a run has said, and the files that it has sent. */
  return async (
    row: StoredMessage,
    { runId, text, isAnswer }: { runId: string; text: string; isAnswer: boolean },
    { agent, threadId }: Ending,
  ): Promise<Said> => {
    const { kind, userId } = row;
    const sent = await agent.threads.sentFiles(userId, runId);
    const files = sent.map((file) => ({
      // Read where the platform takes no such file.
      text: `${file.name.replaceAll(/[^\p{L}\p{N} .-]/gu, ' ')} is in Drawbridge: ${url()}/chat/${threadId}`,
      file: { ...file, userId },
    }));
    const draft = await messages.replies.find(draftIdOf(kind, runId));
    const said = isAnswer && (await isReadOut(row)) ? [{ text, isSpoken: true }] : [];
    return {
      // A file says enough.
      text: isAnswer || files.length === 0 || draft !== null ? text : null,
      id: `${kind} run ${runId}`,
      edits: draft?.id,
      more: [...files, ...said],
    };
  };
};

/** Answers to messages: each is stored with the end of its message, in one transaction, before it is sent. */
export const createAnswers = (needs: Needs) => {
  const { messages, senders, onReply } = needs;
  const { textsOf, repliesTo } = createParts(needs);
  const saidBy = createSaid(needs);

  const answer = async (
    row: StoredMessage,
    text: string | null,
    { id = `${keyOf(row)} answer`, edits, more = [] }: Partial<Omit<Said, 'text'>> = {},
  ): Promise<void> => {
    const replies = repliesTo(row, { id, edits }, [...textsOf(row, text), ...more]);
    // False for the message of a sender who is no longer paired: it is gone.
    if (await messages.commit([messages.answered(row), ...replies], 'synced')) onReply(row);
  };

  return {
    answer,
    /** A sentence before the answer, once. */
    note: async (row: StoredMessage, text: string): Promise<void> => {
      const replies = repliesTo(row, { id: `${keyOf(row)} note` }, [{ text }]);
      if (await messages.commit(replies, 'synced')) onReply(row);
    },
    end: async (row: StoredMessage, end: RequestEnd, ending: Ending): Promise<void> => {
      const runId = 'runId' in end ? end.runId : null;
      const text = textOfEnd(end);
      if (runId === null || text === null) return answer(row, text);
      const said = await saidBy(row, { runId, text, isAnswer: hasContent(end) }, ending);
      return answer(row, said.text, said);
    },
    /** What background work has brought, into the chat of this message, once; nothing where it is silent. */
    followUp: async (row: StoredMessage, end: RequestEnd, ending: Ending): Promise<void> => {
      if (end.outcome !== 'completed' && end.outcome !== 'error') return;
      const isAnswer = hasContent(end);
      const text = end.outcome === 'error' ? end.message : end.content;
      const said = await saidBy(row, { runId: end.runId, text, isAnswer }, ending);
      const isNothing = end.outcome === 'completed' && !isAnswer;
      const parts = [...textsOf(row, isNothing ? null : said.text), ...said.more];
      if (parts.length > 0 && (await messages.commit(repliesTo(row, said, parts), 'synced'))) onReply(row);
    },
    /** Shows an answer while it is written: what replaces it is sent after it. */
    draft: async (row: StoredMessage, runId: string, text: string): Promise<void> => {
      const replies = repliesTo(row, { id: draftIdOf(row.kind, runId) }, [{ text }]);
      if (await messages.commit([messages.unanswered(row), ...replies], 'synced')) onReply(row);
    },
    /** Ends the pairing, with all that waits for the sender. */
    unpair: async (row: StoredMessage, sender: StoredSender): Promise<void> => {
      const text = 'You are no longer paired. What you write here is not read any more.';
      const goodbye = repliesTo({ ...row, senderId: '' }, { id: `${keyOf(row)} answer` }, [{ text }]);
      await messages.commit([...senders.remove(sender), ...goodbye], 'synced');
      onReply(row);
    },
  };
};

export type Answers = ReturnType<typeof createAnswers>;
