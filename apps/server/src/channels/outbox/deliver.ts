import type { Agent } from '@drawbridge/agent';
import { type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import {
  createKeyedQueue,
  createTimer,
  exponential,
  fullJitter,
  hasCode,
  sleep,
  type Clock,
} from '@drawbridge/kit';
import { audioEnding, type SpeechService } from '../../voice/index.ts';
import {
  orPlain,
  PlatformError,
  type Button,
  type ChannelAdapter,
  type Destination,
  type OutgoingFile,
} from '../adapter.ts';
import type { ChannelCounts } from '../counts.ts';
import { addressOf } from '../turns/answers.ts';
import { isDraft, repliedFile, type RepliedFile } from '../turns/new-reply.ts';
import {
  isStoreTrouble,
  type ConversationKey,
  type MessagesStore,
  type StoredReply,
} from '../turns/messages.store.ts';

interface Needs {
  clock: Clock;
  messages: MessagesStore;
  /** Null while the channel is off or its key is refused: replies wait. */
  adapterOf(kind: ChannelKind): ChannelAdapter | null;
  /** Null where it is switched off. */
  agent: Pick<Agent, 'threads'> | null;
  /** The buttons of a reply; none for most. */
  buttonsOf(replyId: string): Promise<Button[]>;
  speech: Pick<SpeechService, 'speak'>;
  counts: ChannelCounts;
  onError(error: unknown): void;
  signal: AbortSignal;
}

const retry = { baseMs: 1_000, capMs: 60_000 };
const storeRetryMs = 5_000;
/** How long a server that stops waits for the platform's answer to what it is sending. */
const lastAnswerMs = 2_000;

type Next = 'next' | 'stop' | { waitMs: number };

/** The bytes of a file of a chat; null where it was removed. */
const readFile = async (
  agent: Needs['agent'],
  { userId, id }: RepliedFile,
): Promise<Buffer<ArrayBuffer> | null> => {
  const file = await agent?.threads.file(userId, id).catch((error: unknown) => {
    if (hasCode(error, 'NOT_FOUND')) return null;
    throw error;
  });
  return file ? Buffer.from(file.data, 'base64') : null;
};

/** Null where the reply has no file, or the platform does not take it: then its text is sent. */
const sendFile = async (
  agent: Needs['agent'],
  adapter: ChannelAdapter,
  { reply, to }: { reply: StoredReply; to: Omit<Destination, 'isPlain'> },
): Promise<string | null> => {
  if (reply.file === null || adapter.sendFile === null) return null;
  const file = repliedFile.parse(JSON.parse(reply.file));
  const bytes = await readFile(agent, file);
  if (bytes === null) return null;
  return adapter.sendFile({ ...file, bytes }, to).catch((error: unknown) => {
    if (error instanceof PlatformError && error.kind === 'refused') return null;
    throw error;
  });
};

/** Undefined where it cannot be read out, and for a platform without voice messages. */
const readOut = async (
  { speech, signal }: Pick<Needs, 'speech' | 'signal'>,
  adapter: ChannelAdapter,
  { text }: StoredReply,
): Promise<OutgoingFile | undefined> => {
  if (adapter.voice === null) return undefined;
  const said = await speech.speak(text, { format: adapter.voice.format, signal });
  if (said === null) return undefined;
  const { mediaType, bytes } = said;
  return { name: `reply.${audioEnding(mediaType)}`, mediaType, bytes: Buffer.from(bytes) };
};

interface Try {
  reply: StoredReply;
  voice: OutgoingFile | null;
  /** Without the markup, which may be what failed. */
  isPlain: boolean;
}

/** Resolves to the platform's id of the message; null where another one was to be edited. */
const createAttempt =
  ({ messages: { replies }, buttonsOf, agent, signal }: Needs) =>
  async (adapter: ChannelAdapter, { reply, voice, isPlain }: Try): Promise<string | null> => {
    const { id, text, edits } = reply;
    const to = { id, address: addressOf(reply), signal };
    if (voice !== null) return adapter.voice?.send(voice, to) ?? null;
    if (edits !== null) {
      const messageId = (await replies.find(edits))?.messageId ?? null;
      const isEdited =
        messageId !== null &&
        (await orPlain(isPlain, async (plain) =>
          adapter.buttons?.edit(messageId, text, { ...to, isPlain: plain }),
        ));
      // An answer whose draft is gone is sent; how a question ended is said in its message alone.
      if (isEdited === true || !isDraft(edits)) return null;
    }
    const sent = await sendFile(agent, adapter, { reply, to });
    if (sent !== null) return sent;
    const buttons = await buttonsOf(id);
    return orPlain(isPlain, (plain) => adapter.send(text, { ...to, isPlain: plain, buttons }));
  };

/** A fault of this server is logged and tried again, so that it loses no reply and holds back no other. */
const ofPlatform = (error: unknown, onError: Needs['onError']): PlatformError => {
  if (error instanceof PlatformError) return error;
  onError(error);
  return new PlatformError('network', 'Something went wrong here. The log of the server says more.');
};

const createFail =
  ({ messages, counts }: Pick<Needs, 'messages' | 'counts'>) =>
  (reply: StoredReply, problem: string): Promise<boolean> => {
    counts.add(reply.kind as ChannelKind, 'failed');
    return messages.replies.move(reply.id, { state: 'failed', problem });
  };

/** What comes after a try that has failed. */
const createAfterFailure = (needs: Needs, fail: ReturnType<typeof createFail>) => {
  const { clock, onError } = needs;
  const { replies } = needs.messages;
  return async (
    reply: StoredReply,
    error: PlatformError,
    { tries, since }: { tries: number; since: number },
  ): Promise<Next> => {
    const { kind, message } = error;
    if (kind === 'key' || kind === 'conflict') return 'stop';
    if (kind === 'gone') {
      await replies.drop(reply, message);
      return 'next';
    }
    if (kind === 'rate') return { waitMs: error.retryAfterMs ?? retry.baseMs };
    const isOver = tries >= channelLimits.tries || clock.now() - since >= channelLimits.triesMs;
    if (kind !== 'network' || isOver) {
      await fail(reply, message);
      onError(new Error(`A reply was not sent: ${message}`));
      return 'next';
    }
    return { waitMs: fullJitter(exponential(tries, retry)) };
  };
};

/**
 * Sends replies, those of one conversation in order, one at a time. Each is noted before it is sent: after a
 * crash in between it is sent again, so it may come twice, and is never lost.
 */
export const createDelivery = (needs: Needs) => {
  const { clock, messages, adapterOf, counts, onError, signal } = needs;
  const sending = new AbortController();
  const ending = createTimer(clock);
  signal.addEventListener('abort', () =>
    ending.start(lastAnswerMs, () => sending.abort(new Error('The server stops'))),
  );
  const attempt = createAttempt({ ...needs, signal: sending.signal });
  const { replies } = messages;
  const inTurn = createKeyedQueue();
  const spokenInTurn = createKeyedQueue();

  const fail = createFail(needs);
  const afterFailure = createAfterFailure(needs, fail);

  /** False where the conversation has to wait for another key. */
  const sendOne = async (reply: StoredReply): Promise<boolean> => {
    const since = clock.now();
    let voice: OutgoingFile | null | undefined = null;
    let isPlain = false;
    for (let tries = 1; ; tries += 1) {
      const adapter = adapterOf(reply.kind as ChannelKind);
      if (adapter === null) return false;
      if (reply.isSpoken === 1) voice ??= await readOut(needs, adapter, reply);
      if (voice === undefined) {
        await fail(reply, 'It could not be read out');
        return true;
      }
      if (!(await replies.move(reply.id, { state: 'sending', problem: null }))) return true;
      try {
        const messageId = await attempt(adapter, { reply, voice, isPlain });
        await replies.move(reply.id, { state: 'sent', problem: null, messageId, sentAt: clock.now() });
        counts.add(reply.kind as ChannelKind, 'sent');
        return true;
      } catch (error) {
        if (signal.aborted || isStoreTrouble(error)) throw error;
        isPlain ||= !(error instanceof PlatformError);
        const next = await afterFailure(reply, ofPlatform(error, onError), { tries, since });
        if (typeof next === 'string') return next === 'next';
        await sleep(clock, next.waitMs, signal);
      }
    }
  };

  const run = async (conversation: ConversationKey, isSpoken: boolean): Promise<void> => {
    while (!signal.aborted) {
      try {
        const [reply] = await replies.waiting(conversation, isSpoken);
        if (!reply || !(await sendOne(reply))) return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isStoreTrouble(error)) throw error;
        await sleep(clock, storeRetryMs, signal).catch(() => undefined);
      }
    }
  };

  /** Speech may take a minute: it follows the texts, and none waits for it. */
  const wake = (conversation: ConversationKey): void => {
    const name = `${conversation.kind} ${conversation.conversation}`;
    inTurn
      .run(name, () => run(conversation, false))
      .then(() => spokenInTurn.run(name, () => run(conversation, true)))
      .catch(onError);
  };

  return {
    wake,
    /** Goes on with all that waits. */
    wakeAll: async (): Promise<void> => {
      for (const conversation of await replies.conversationsWaiting()) wake(conversation);
    },
    settled: async (): Promise<void> => {
      await inTurn.settled();
      await spokenInTurn.settled();
      ending.cancel();
    },
  };
};
