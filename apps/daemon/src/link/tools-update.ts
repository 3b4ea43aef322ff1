import type { ToolsBody, ToolsReply } from '@drawbridge/contracts';
import { exponential, type Clock } from '@drawbridge/kit';
import type { Reply } from './server-api.ts';

export interface ToolsUpdateNeeds {
  clock: Clock;
  /** What this machine offers at this moment. */
  describe(): ToolsBody;
  post(body: ToolsBody): Promise<Reply<ToolsReply>>;
  /** The server has the new list; one sentence for each tool that it left out. */
  sent(warnings: string[]): void;
  /** The server does not know this post, or not this machine: only a new init tells it. */
  unknown(): void;
}

/** Tells the server of another list of tools, once for all changes of a moment. */
export interface ToolsUpdate {
  /** The list is another one. */
  changed(): void;
  /** An init carries the list of this moment. */
  described(): void;
  /** That init was taken: what has changed since is sent. */
  ready(): void;
  /** The server must have another init before it can be told more. */
  lost(): void;
}

/** Changes within this time are sent once. */
const gatherMs = 200;
const retryRange = { baseMs: 1_000, capMs: 30_000 };

const isPassing = (status: number | null) => status === null || status === 429 || status >= 500;

export const createToolsUpdate = (needs: ToolsUpdateNeeds): ToolsUpdate => {
  const { clock, describe, post, sent, unknown } = needs;
  let isChanged = false;
  let isReady = false;
  let isPosting = false;
  let failures = 0;
  let stopWaiting = () => {};

  const flushAfter = (ms: number) => {
    stopWaiting();
    if (isReady) stopWaiting = clock.after(ms, () => void flush());
  };

  const settle = (reply: Reply<ToolsReply>) => {
    if (reply.ok) {
      failures = 0;
      return sent(reply.value.warnings ?? []);
    }
    // An init has come in between, and carries the list.
    if (!isReady) return;
    if (reply.status === 404) return unknown();
    if (!isPassing(reply.status)) return;
    isChanged = true;
    flushAfter(exponential(failures, retryRange));
    failures += 1;
  };

  const flush = async () => {
    if (!isChanged || !isReady || isPosting) return;
    isChanged = false;
    isPosting = true;
    const reply = await post(describe());
    isPosting = false;
    settle(reply);
    if (isChanged && reply.ok) flushAfter(gatherMs);
  };

  return {
    changed: () => {
      isChanged = true;
      flushAfter(gatherMs);
    },
    described: () => {
      isChanged = false;
    },
    ready: () => {
      isReady = true;
      failures = 0;
      if (isChanged) flushAfter(0);
    },
    lost: () => {
      isReady = false;
      stopWaiting();
    },
  };
};
