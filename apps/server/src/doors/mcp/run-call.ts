import type { Call, ClientInput } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { viaOf } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { endAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { ClientSide } from './client-side.ts';
import type { FollowCall } from './follow-call.ts';
import type { Said } from './progress.ts';
import { promisesStructure } from './shown-tools.ts';
import { waitAsked } from './wait-budget.ts';
import { waitingAnswer, waitingSentence, type QuestionUrl } from './waiting-answer.ts';

/** A `tools/call` of one of the machine's tools, as any era carries it. */
export interface CallRequest {
  name: string;
  arguments: Record<string, unknown>;
  /** The client's `_meta`, without the protocol's own names. */
  meta: Record<string, unknown>;
  /** What the client said of itself and of what it was asked. */
  client?: ClientSide;
  /** For a tool that asks its caller's client. */
  clientInput?: ClientInput;
}

/** How a client follows its call. */
export interface CallWatch {
  /** Aborts when the client cancels or leaves. */
  signal: AbortSignal;
  /** Hears what is said of the call, where the client asked for progress. */
  onProgress?(said: Said): void;
}

/**
 * Runs a tool on the machine and gives what its caller is answered. A call that the person is asked about is waited for as
 * long as the budget lasts; then the answer says so, and the call goes on. Throws as `Gateway.call` does.
 */
export type RunCall = (caller: Caller, request: CallRequest, watch: CallWatch) => Promise<CallToolResult>;

/** What waiting for a call takes. */
export interface WaitNeeds {
  gateway: Gateway;
  clock: Clock;
  followCall: FollowCall;
  questionUrl: QuestionUrl;
  /** How long a client is kept waiting while the person is asked, where it does not say itself. */
  waitMs: number;
}

export const createRunCall = ({ gateway, clock, followCall, questionUrl, waitMs }: WaitNeeds): RunCall => {
  /** Until the call ends or the person is asked for the first time. */
  const start = async (caller: Caller, request: CallRequest, { signal, onProgress }: CallWatch) => {
    const { userId, machineId, access } = caller;
    const { clientInput } = request;
    let requestId: string | null = null;
    const unlisten =
      onProgress &&
      gateway.onCallChanged(userId, (event) => {
        if (event.type === 'progress' && event.requestId === requestId) onProgress(event);
      });
    try {
      return await gateway.call(
        userId,
        { name: request.name, arguments: request.arguments },
        {
          door: 'mcp',
          via: viaOf(access),
          until: 'asked',
          signal,
          ...(clientInput && { clientInput }),
          ...(machineId !== undefined && { machineId }),
          onOpened: (id) => {
            requestId = id;
          },
        },
      );
    } finally {
      unlisten?.();
    }
  };

  /** While it is waited for, the client can take the call back; what has been answered goes on. */
  const waitFor = async ({ requestId }: Call, caller: Caller, watch: CallWatch & { waitMs: number }) => {
    const { userId } = caller;
    const call = await followCall(
      { userId, requestId },
      {
        waitMs: watch.waitMs,
        signal: watch.signal,
        onProgress: watch.onProgress,
        reminder: (now) => waitingSentence(questionUrl(now)),
      },
    );
    return watch.signal.aborted ? gateway.cancelCall(userId, requestId) : call;
  };

  return async (caller, request, watch) => {
    const budgetMs = waitAsked(request.meta) ?? waitMs;
    const startedAt = clock.now();
    const asked = await start(caller, request, watch);
    if (asked.endedAt !== null) return endAnswer(asked);
    const leftMs = Math.max(0, startedAt + budgetMs - clock.now());
    const call = await waitFor(asked, caller, { ...watch, waitMs: leftMs });
    if (call.endedAt !== null) return endAnswer(call);
    const machine = await gateway.machine(caller.userId, call.machineId);
    const tool = machine?.tools.get(call.tool);
    return waitingAnswer(call, {
      url: questionUrl(call),
      hasOutputSchema: tool !== undefined && promisesStructure(tool),
    });
  };
};
