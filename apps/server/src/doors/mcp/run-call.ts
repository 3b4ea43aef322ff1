import type { Call, ClientInput } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import { viaOf } from '../../auth/index.ts';
import type { CallClaim, Gateway } from '../../gateway/index.ts';
import { endAnswer, type ToolAnswer } from './answer.ts';
import type { Caller } from './caller.ts';
import type { ClientSide } from './client-side.ts';
import type { FollowCall } from './follow-call.ts';
import type { Said } from './progress.ts';
import type { QuestionRounds } from './question-rounds.ts';
import { noteLeaving, noteReading } from './reading.ts';
import { keyAsked, repeatAnswer } from './repeat.ts';
import { promisesStructure } from './shown-tools.ts';
import type { ShowPage } from './show-page.ts';
import { waitAsked } from './wait-budget.ts';
import { pageOf, waitingAnswer, waitingSentence, type QuestionUrl } from './waiting-answer.ts';

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
  /** Resolves when the exchange is over, with whether the answer was written whole. */
  read: Promise<boolean>;
  /** Hears what is said of the call, where the client asked for progress. */
  onProgress?(said: Said): void;
  /** Shows the person's question, where the client can while it waits. */
  showPage?: ShowPage;
}

/**
 * Runs a tool on the machine and gives what its caller is answered. A call that the person is asked about is waited for as
 * long as the budget lasts; then the answer says so, and the call goes on. Throws as `Gateway.call` does.
 */
export type RunCall = (caller: Caller, request: CallRequest, watch: CallWatch) => Promise<ToolAnswer>;

/** What waiting for a call takes. */
export interface WaitNeeds {
  gateway: Gateway;
  clock: Clock;
  followCall: FollowCall;
  questionUrl: QuestionUrl;
  /** How long a client is kept waiting while the person is asked, where it does not say itself. */
  waitMs: number;
  /** Hears what was thrown inside, for the log. */
  onError(error: unknown): void;
}

type NewCall = Extract<CallClaim, { kind: 'new' }>;

/** A call and how its client follows it. */
interface Asked {
  caller: Caller;
  request: CallRequest;
  watch: CallWatch;
  /** When it is answered at the latest while the person is asked. */
  answerBy: number;
}

export const createRunCall = (needs: WaitNeeds, rounds: QuestionRounds): RunCall => {
  const { gateway, clock, followCall, questionUrl, waitMs, onError } = needs;

  const claim = async ({ caller: { userId, access, machineId }, request }: Asked): Promise<CallClaim> => {
    const key = keyAsked(request.meta);
    // What follows upon the client's answers is another part of the same call.
    const { clientInput } = request;
    if (clientInput?.responses || clientInput?.requestState !== undefined) return gateway.repeats.none();
    return gateway.repeats.claim(
      userId,
      { name: request.name, arguments: request.arguments },
      {
        via: viaOf(access),
        ...(machineId !== undefined && { machineId }),
        ...(key !== undefined && { key }),
      },
    );
  };

  /** Until the call ends or the person is asked for the first time. */
  const start = async ({ caller, request, watch }: Asked, claimed: NewCall) => {
    const { userId, machineId, access } = caller;
    const { clientInput } = request;
    const { signal, onProgress } = watch;
    const { requestId, settle } = claimed;
    let opened = false;
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
          requestId,
          ...(machineId !== undefined && { machineId }),
          onOpened: () => {
            opened = true;
            settle(true).catch(onError);
          },
        },
      );
    } finally {
      unlisten?.();
      if (!opened) await settle(false);
    }
  };

  const waitFor = (requestId: string, { caller, watch, answerBy }: Asked) =>
    followCall(
      { userId: caller.userId, requestId },
      {
        waitMs: Math.max(0, answerBy - clock.now()),
        signal: watch.signal,
        onProgress: watch.onProgress,
        reminder: (now) => waitingSentence(questionUrl(now)),
      },
    );

  const answerOf = async (call: Call, { caller: { userId }, watch }: Asked) => {
    const { requestId } = call;
    if (call.endedAt !== null) {
      noteReading(needs, { userId, requestId }, watch);
      return endAnswer(call);
    }
    // What it answers is not the outcome: the same call again is not a new one.
    await gateway.repeats.unread(userId, requestId);
    const tool = (await gateway.machine(userId, call.machineId))?.tools.get(call.tool);
    const hasOutputSchema = tool !== undefined && promisesStructure(tool);
    return waitingAnswer(call, { url: questionUrl(call), hasOutputSchema });
  };

  /** While it is waited for, the client can take the call back. */
  const outcomeOf = async (requestId: string, asked: Asked) => {
    const call = await waitFor(requestId, asked);
    return asked.watch.signal.aborted ? gateway.cancelCall(asked.caller.userId, requestId) : call;
  };

  const answerNew = async (asked: Asked, claimed: NewCall) => {
    const call = await start(asked, claimed);
    const { requestId } = call;
    const { userId } = asked.caller;
    if (call.endedAt !== null) {
      noteLeaving(needs, { userId, requestId }, asked.watch);
      return endAnswer(call);
    }
    const page = pageOf(call, questionUrl);
    if (page && rounds.isFor(asked.request)) {
      await gateway.repeats.unread(userId, requestId);
      return rounds.ask(asked, { requestId, page });
    }
    const close = page && asked.watch.showPage?.(page);
    const now = await outcomeOf(requestId, asked);
    close?.(now.endedAt !== null);
    return answerOf(now, asked);
  };

  const answer = async (asked: Asked): Promise<ToolAnswer> => {
    const { client, clientInput } = asked.request;
    if (client?.requestState !== undefined && !clientInput)
      return answerOf(await outcomeOf(await rounds.take(asked), asked), asked);
    const claimed = await claim(asked);
    if (claimed.kind === 'new') return answerNew(asked, claimed);
    const call = await waitFor(claimed.first, asked);
    // Its client had taken it back before it began.
    if (claimed.by === 'unread' && call.state === 'cancelled' && call.started === false) return answer(asked);
    return repeatAnswer(await answerOf(call, asked), claimed);
  };

  return async (caller, request, watch) => {
    const answerBy = clock.now() + (waitAsked(request.meta) ?? waitMs);
    return answer({ caller, request, watch, answerBy });
  };
};
