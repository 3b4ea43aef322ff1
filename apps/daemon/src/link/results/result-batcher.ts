import { responsesLimits } from '@drawbridge/contracts/daemon-surface';
import { createLimiter, createTimer, nextMacrotask, type Clock } from '@drawbridge/kit';
import { isFinal } from '../failure.ts';
import type { Reply, Result } from '../reply.ts';

export interface BatcherNeeds {
  clock: Clock;
  post(result: Result): Promise<Reply<null>>;
  /** Posts several in one request; gives the server's answer to each, in their order. */
  postAll(results: readonly Result[]): Promise<Reply<Reply<null>[]>>;
  takesSeveral(): boolean;
}

export interface QueuedResult {
  result: Result;
  /** Posted before and not accepted: it is posted alone, so that it cannot block a batch again. */
  isRetry: boolean;
  answered(reply: Reply<null>): void;
}

/** Posts each result once: few large ones at a time, small ones in batches where several are ready. */
export interface ResultBatcher {
  /** The returned function withdraws a result that has not been posted yet. */
  send(queued: QueuedResult): () => void;
}

/** Results of at least `largeLength` characters: `largePosts` at a time, without delaying small ones. */
export const largeLength = 64 * 1024;
export const largePosts = 2;

/** With so many posts of small results under way, further ones are gathered into a batch, */
export const smallPosts = 8;
/** but for no longer than this: one slow post delays nothing else. */
export const waitMs = 20;

const envelopeBytes = 32;

const bytesOf = ({ requestId, body }: Result) => Buffer.byteLength(body) + requestId.length + envelopeBytes;

const takeBatch = (queue: QueuedResult[]): QueuedResult[] => {
  let count = 0;
  let bytes = envelopeBytes;
  for (const { result } of queue) {
    bytes += bytesOf(result);
    const isFull = count === responsesLimits.maxResponses || bytes > responsesLimits.maxBytes;
    if (isFull && count > 0) break;
    count += 1;
  }
  return queue.splice(0, count);
};

const createSmallBatches = ({ clock, post, postAll, takesSeveral }: BatcherNeeds): ResultBatcher => {
  const queue: QueuedResult[] = [];
  const timer = createTimer(clock);
  let posts = 0;
  let isGathering = false;

  const postOne = async ({ result, answered }: QueuedResult) => answered(await post(result));

  const postBatch = async (batch: QueuedResult[]): Promise<void> => {
    const reply = await postAll(batch.map(({ result }) => result));
    // A batch that was refused as a whole says nothing about its results.
    if (!reply.ok && isFinal(reply.status)) for (const queued of batch) void postOne(queued);
    else
      for (const [at, { answered }] of batch.entries()) {
        const own = reply.ok ? reply.value[at] : reply;
        if (own) answered(own);
      }
  };

  const postNext = async (): Promise<void> => {
    const batch = takeBatch(queue);
    if (queue.length === 0) timer.cancel();
    posts += 1;
    if (batch.length > 1 && takesSeveral()) await postBatch(batch);
    else await Promise.all(batch.map(postOne));
    posts -= 1;
    postWhereFree();
  };

  const postEverything = () => {
    while (queue.length > 0) void postNext();
  };

  const postWhereFree = () => {
    while (queue.length > 0 && posts < smallPosts) void postNext();
    if (queue.length > 0 && !timer.isWaiting()) timer.start(waitMs, postEverything);
  };

  const gather = async () => {
    if (isGathering) return;
    isGathering = true;
    await nextMacrotask();
    isGathering = false;
    postWhereFree();
  };

  return {
    send: (queued) => {
      if (queued.isRetry || !takesSeveral()) void postOne(queued);
      else {
        queue.push(queued);
        if (posts === 0) void postNext();
        else void gather();
      }
      return () => {
        const at = queue.indexOf(queued);
        if (at !== -1) queue.splice(at, 1);
        if (at !== -1 && queue.length === 0) timer.cancel();
      };
    },
  };
};

export const createResultBatcher = (needs: BatcherNeeds): ResultBatcher => {
  const small = createSmallBatches(needs);
  const large = createLimiter(largePosts);

  const sendLarge = ({ result, answered }: QueuedResult) => {
    const withdrawn = new AbortController();
    large.run(() => needs.post(result), withdrawn.signal).then(answered, () => undefined);
    return () => withdrawn.abort();
  };

  return {
    send: (queued) => (queued.result.body.length < largeLength ? small.send(queued) : sendLarge(queued)),
  };
};
