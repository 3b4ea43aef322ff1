import type { LaneRequest, RequestEnd, RequestEvent } from '@drawbridge/agent';
import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import { hasCode, type Clock } from '@drawbridge/kit';
import { subscribe, type ReaderContext } from '../../readers/index.ts';
import type { Draft } from './draft.ts';
import { createWrittenText } from './written-text.ts';

/** Telegram shows it for 5 s. */
const typingEveryMs = 4_000;

interface Following {
  readers: ReaderContext;
  clock: Clock;
  userId: string;
  threadId: string;
  /** Shows for some seconds that an answer is being written. */
  typing(): Promise<void>;
  /** The answer while it is written; null where the platform shows it whole alone. */
  draft(runId: string): Draft | null;
  /** The agent waits for an answer of the person. */
  onQuestion(ask: AskPayload): void;
  /** It waits no longer. */
  onClosed(askId: string): void;
  onError(error: unknown): void;
  signal: AbortSignal;
}

const createTyping = ({ clock, typing }: Following) => {
  let stop: (() => void) | null = null;
  const show = () => void typing().catch(() => undefined);
  return {
    start: () => {
      if (stop !== null) return;
      show();
      stop = clock.every(typingEveryMs, show);
    },
    stop: () => {
      stop?.();
      stop = null;
    },
  };
};

const followRun = async (
  following: Following,
  { typing, draft }: { typing: ReturnType<typeof createTyping>; draft: Draft | null },
  { runId, afterSeq }: { runId: string; afterSeq: number },
): Promise<void> => {
  const written = createWrittenText(runId);
  const { readers, userId, threadId, signal } = following;
  const topics = [{ thread: threadId }];
  for await (const { topic, event: frame } of subscribe(readers, {
    user: { userId },
    topics,
    since: String(afterSeq),
    signal,
  })) {
    if (topic !== 'thread') continue;
    const text = written(frame);
    if (text !== null) draft?.write(text);
    if (frame.type !== 'event' || frame.event.runId !== runId) continue;
    const { type, payload } = frame.event;
    if (type === 'run-finish') return;
    if (type === 'confirmation-request') {
      typing.stop();
      following.onQuestion(payload);
    }
    if (type === 'confirmation-closed') {
      typing.start();
      following.onClosed(payload.requestId);
    }
  }
};

/** Follows a message until it has ended. Rejects with the reason of the signal. */
export const followRequest = async (following: Following, request: LaneRequest): Promise<RequestEnd> => {
  const { onError, signal } = following;
  const left = new AbortController();
  const inside = { ...following, signal: AbortSignal.any([signal, left.signal]) };
  const typing = createTyping(inside);
  let draft: Draft | null = null;
  const take = (event: RequestEvent) => {
    if (event.type !== 'started') return;
    typing.start();
    draft = following.draft(event.runId);
    followRun(inside, { typing, draft }, event).catch((error: unknown) => {
      if (!inside.signal.aborted && !hasCode(error, 'NOT_FOUND')) onError(error);
    });
  };
  const stopListening = request.listen(take);
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([request.done, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
    stopListening();
    typing.stop();
    left.abort();
    await (draft as Draft | null)?.end();
  }
};
