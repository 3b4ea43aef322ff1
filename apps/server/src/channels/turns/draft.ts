import { createTimer, type Clock } from '@drawbridge/kit';
import { PlatformError, type ChannelAdapter } from '../adapter.ts';
import type { MessagesStore, StoredReply } from './messages.store.ts';

interface Needs {
  clock: Clock;
  replies: Pick<MessagesStore['replies'], 'find'>;
  /** Null while the channel is off. */
  adapter(): ChannelAdapter | null;
  /** Of the reply. */
  id: string;
  /** Stores the reply, which is sent in its order. */
  insert(text: string): Promise<void>;
  /** Gives the message of a draft another text; false where it is gone. */
  edit(adapter: ChannelAdapter, draft: StoredReply, text: string): Promise<boolean>;
  /** Not changed more often than this. */
  everyMs: number;
  onError(error: unknown): void;
  signal: AbortSignal;
}

/** An answer that the chat shows while it is written. */
export interface Draft {
  /** What is written so far. */
  write(text: string): void;
  /** Resolves once nothing more of it is on its way: the answer must not be replaced by a part of it. */
  end(): Promise<void>;
}

/**
 * Shows a text in one message that grows. Its first state is a reply like any other; a change that does not
 * arrive is made up for by the next one, and by the answer, which replaces it.
 */
export const createDraft = (needs: Needs): Draft => {
  const { replies, id, insert, everyMs, onError, signal } = needs;
  const timer = createTimer(needs.clock);
  let text = '';
  let shown = '';
  let isOver = false;
  let isBusy = false;
  let showing = Promise.resolve();

  /** How long to wait before the next change, in milliseconds; null: none follows. */
  const show = async (): Promise<number | null> => {
    const draft = await replies.find(id);
    if (draft === null) {
      // It was sent before: what is missing now was removed.
      if (shown !== '') return null;
      shown = text;
      await insert(text);
      return everyMs;
    }
    if (draft.state === 'failed') return null;
    const adapter = needs.adapter();
    if (draft.state !== 'sent' || draft.messageId === null || adapter === null) return everyMs;
    const next = text;
    try {
      if (!(await needs.edit(adapter, draft, next))) return null;
      shown = next;
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error.kind === 'rate') return Math.max(everyMs, error.retryAfterMs ?? 0);
      return error.kind === 'network' ? everyMs : null;
    }
    return everyMs;
  };

  const wait = (ms: number) => {
    isBusy = true;
    timer.start(ms, () => {
      showing = show().then(
        (next) => {
          isBusy = false;
          if (next === null) isOver = true;
          else if (!isOver && text !== shown) wait(next);
        },
        (error: unknown) => {
          isOver = true;
          if (!signal.aborted) onError(error);
        },
      );
    });
  };

  return {
    write: (now) => {
      text = now;
      if (!isOver && !isBusy && text !== shown) wait(everyMs);
    },
    end: async () => {
      isOver = true;
      timer.cancel();
      await showing;
    },
  };
};
