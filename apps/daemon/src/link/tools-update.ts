import type { ToolsReply } from '@drawbridge/contracts/daemon-reply';
import type { ToolsBody } from '@drawbridge/contracts/daemon-surface';
import { createTimer, exponential, type Clock } from '@drawbridge/kit';
import { retryRange } from './retry-range.ts';
import type { Reply } from './reply.ts';

export interface ToolsUpdateNeeds {
  clock: Clock;
  describe(): ToolsBody;
  post(body: ToolsBody): Promise<Reply<ToolsReply>>;
  /** The server has the new list; one sentence for each tool that it left out. */
  sent(warnings: string[]): void;
  /** The server does not know this route or this machine: it needs a new init. */
  unknown(): void;
}

const gatherMs = 200;

const isPassing = (status: number | null) => status === null || status === 429 || status >= 500;

/** Sends the server a new list of tools, once for all changes of a moment. */
export const createToolsUpdate = (needs: ToolsUpdateNeeds) => {
  const { clock, describe, post, sent, unknown } = needs;
  let isChanged = false;
  let isReady = false;
  let isPosting = false;
  /** What the server has, as text, where that is known. */
  let described: string | undefined;
  let failures = 0;
  let revision = 0;
  const timer = createTimer(clock);

  const flushAfter = (ms: number) => {
    timer.cancel();
    if (isReady) timer.start(ms, () => void flush());
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
    const body = describe();
    const text = JSON.stringify(body);
    if (text === described) return;
    isPosting = true;
    // The server may have it although its reply is lost.
    described = undefined;
    // One that was given up may arrive after this one.
    revision += 1;
    const reply = await post({ ...body, revision });
    isPosting = false;
    if (reply.ok) described = text;
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
      described = JSON.stringify(describe());
    },
    ready: () => {
      isReady = true;
      failures = 0;
      if (isChanged) flushAfter(0);
    },
    lost: () => {
      isReady = false;
      timer.cancel();
    },
  };
};

export type ToolsUpdate = ReturnType<typeof createToolsUpdate>;
