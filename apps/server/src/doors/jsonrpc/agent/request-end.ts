import type { QueueInfo, RequestEnd } from '@drawbridge/agent';
import { errorRow } from '@drawbridge/contracts/errors';
import type { AgentSendResult } from '@drawbridge/contracts/rpc/agent';
import { errors } from '../../../errors.ts';
import { failureOf, type Failure } from '../protocol/error.ts';

/** How the request of a message ends. `isJoined`: it was merged or steered into the run of another one. */
export type SendEnd = { isJoined: boolean } & (
  | { state: 'complete'; result: AgentSendResult }
  | { state: 'cancelled' | 'error'; isForced?: boolean; failure: Failure }
);

const tooBusy: Record<QueueInfo['code'], string> = {
  overflow: 'Too many messages wait in this session',
  superseded: 'A newer message replaced this one',
  preempted: 'A newer message interrupted this one',
};

/** The lane as the client names it: by its session. */
const named = (queue: QueueInfo, sessionId: string): QueueInfo => ({ ...queue, laneId: sessionId });

const refused = (queue: QueueInfo): Failure => ({
  ...failureOf(errors.runActive({ message: tooBusy[queue.code], fix: undefined })),
  data: { code: queue.code.toUpperCase(), retryable: queue.code === 'overflow', queue },
});

const riding = (end: { into?: string; how?: 'merged' | 'steered' }) => ({
  ...(end.into !== undefined && { into: end.into }),
  ...(end.how === 'merged' && { merged: true as const }),
  ...(end.how === 'steered' && { steered: true as const }),
});

const cancelled = (queue: QueueInfo | undefined): Failure => {
  const { rpc, data } = failureOf(errors.cancelled());
  const message = queue ? tooBusy[queue.code] : 'Request cancelled by client';
  return { rpc, message, data: { ...data, ...(queue && { queue }) } };
};

/** Of a run that ended with an error: codes outside of the table keep their name. */
const failed = ({ code, message }: { code: string; message: string }): Failure => {
  const failure = failureOf({ code, message });
  return errorRow(code) ? failure : { ...failure, data: { ...failure.data, code } };
};

export const endOfRequest = (
  end: RequestEnd,
  { sessionId, requestId }: { sessionId: string; requestId: string },
): SendEnd => {
  const isJoined = 'how' in end && end.how !== undefined;
  switch (end.outcome) {
    case 'completed': {
      const { content, runId, usage, isReplayed } = end;
      const { inputTokens, outputTokens } = usage;
      const answer = { sessionId, content, response: content, usage: { inputTokens, outputTokens } };
      const result = {
        ...answer,
        requestId,
        runId,
        ...riding(end),
        ...(isReplayed && { replayed: true as const }),
      };
      return { isJoined, state: 'complete', result };
    }
    case 'error':
      return { isJoined, state: 'error', failure: failed(end) };
    case 'interrupted':
      return { isJoined, state: 'error', failure: failed({ ...end, code: 'INTERRUPTED' }) };
    case 'cancelled':
      return {
        isJoined,
        state: 'cancelled',
        isForced: end.isForced,
        failure: cancelled(end.queue && named(end.queue, sessionId)),
      };
    case 'overflow':
    case 'superseded':
      return { isJoined, state: 'error', failure: refused(named(end.queue, sessionId)) };
    case 'busy':
      return { isJoined, state: 'error', failure: failureOf(errors.runActive()) };
    default:
      return end satisfies never;
  }
};
