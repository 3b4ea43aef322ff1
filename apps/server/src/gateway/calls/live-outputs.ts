import type { CallEvent } from '@drawbridge/contracts/calls';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import type { CallRecord } from './call.ts';
import type { GatewayLimits } from '../limits.ts';

type Progress = Extract<CallEvent, { type: 'progress' }>;
type Named = Pick<CallRecord, 'requestId' | 'userId'>;

/** `from` is where `text` begins in all that the call printed; null when its daemon does not count. */
interface Live {
  status: Omit<ProgressBody, 'output' | 'outputOffset' | 'outputKeptFrom' | 'turn'>;
  text: string;
  from: number | null;
}

const placed = (output: string, outputOffset: number) => (output === '' ? {} : { output, outputOffset });

/**
 * The latest output of open calls, for new subscribers. In memory only: after a restart the daemons send it
 * again.
 */
export const createLiveOutputs = (limits: Pick<GatewayLimits, 'liveOutputLength' | 'liveOutputsLength'>) => {
  const users = new Map<string, Map<string, Live>>();

  const callsOf = (userId: string) => {
    const calls = users.get(userId) ?? new Map<string, Live>();
    users.set(userId, calls);
    return calls;
  };

  const add = (live: Live, text: string, offset: number) => {
    const grown = (live.from !== null && offset === live.from + live.text.length ? live.text : '') + text;
    live.text = grown.slice(-limits.liveOutputLength);
    live.from = offset + text.length - live.text.length;
  };

  /**
   * What was printed last stays; of the others the oldest goes. Its place is kept, so that it goes on from
   * there.
   */
  const bound = (calls: Map<string, Live>) => {
    let length = 0;
    for (const live of [...calls.values()].reverse()) {
      length += live.text.length;
      if (length <= limits.liveOutputsLength || live.from === null) continue;
      live.from += live.text.length;
      length -= live.text.length;
      live.text = '';
    }
  };

  return {
    /**
     * Takes a post. `outputEnd`: the output is here up to there; for a post that says where its output
     * begins.
     */
    append: (
      { userId, requestId }: Named,
      { output = '', outputOffset, outputKeptFrom, ...status }: ProgressBody,
    ): { event: Progress; outputEnd?: number } => {
      const calls = callsOf(userId);
      const live = calls.get(requestId) ?? { status: {}, text: '', from: null };
      calls.delete(requestId);
      calls.set(requestId, live);
      live.status = { ...live.status, ...status };
      const event: Progress = { type: 'progress', requestId, ...status };
      if (outputOffset === undefined) return { event: output === '' ? event : { ...event, output } };
      const end = (live.from ?? 0) + live.text.length;
      const canComeAgain = (outputKeptFrom ?? outputOffset) < outputOffset;
      if (outputOffset > end && canComeAgain) return { event, outputEnd: end };
      const offset = Math.max(outputOffset, end);
      const text = output.slice(offset - outputOffset);
      add(live, text, offset);
      bound(calls);
      return { event: { ...event, ...placed(text, offset) }, outputEnd: offset + text.length };
    },
    drop: ({ userId, requestId }: Named) => {
      const calls = users.get(userId);
      calls?.delete(requestId);
      if (calls?.size === 0) users.delete(userId);
    },
    /** The calls that output is kept of. */
    calls: (): Named[] =>
      [...users].flatMap(([userId, calls]) => [...calls.keys()].map((requestId) => ({ userId, requestId }))),
    /** One event for each open call of a user that said something. */
    of: (userId: string): Progress[] =>
      [...(users.get(userId) ?? [])].map(([requestId, { status, text, from }]) => ({
        type: 'progress',
        requestId,
        ...status,
        ...placed(text, from ?? 0),
      })),
  };
};

export type LiveOutputs = ReturnType<typeof createLiveOutputs>;
