import type {
  CancelReason,
  ProgressBody,
  ResponseBody,
  ToolRequest,
  ToolResult,
} from '@drawbridge/contracts';
import { CodedError, type Clock } from '@drawbridge/kit';
import { createLedger, isQuestion } from './ledger.ts';
import type { Outbox } from './outbox.ts';
import { createProgressReporter } from './progress.ts';

export type Dispatch = (
  request: ToolRequest,
  context: { signal: AbortSignal; progress: (update: ProgressBody) => void },
) => Promise<ToolResult>;

export type CallOutcome = 'ok' | 'failed' | 'denied' | 'asked' | 'cancelled';

/** One run of one tool, for the person who watches. */
export interface CallReport {
  request: ToolRequest;
  outcome: CallOutcome;
  durationMs: number;
}

export interface CallsNeeds {
  clock: Clock;
  dispatch: Dispatch;
  outbox: Outbox;
  postProgress(requestId: string, body: ProgressBody): Promise<unknown>;
  report(call: CallReport): void;
}

export interface Calls {
  take(request: ToolRequest): void;
  cancel(requestId: string, reason: CancelReason): void;
  /** Takes no more, aborts what runs, and resolves when all of it has ended. */
  stop(): Promise<void>;
}

const cancelledResult: ToolResult = {
  content: [{ type: 'text', text: 'The call was cancelled' }],
  isError: true,
  _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
};

const outcomeOf = (body: ResponseBody): CallOutcome => {
  const { result } = body;
  if (result === undefined) return 'failed';
  if (isQuestion(result)) return 'asked';
  const named = result._meta?.['drawbridge/outcome'];
  if (named === 'denied' || named === 'cancelled') return named;
  return result.isError === true ? 'failed' : 'ok';
};

/** A coded error's sentence is meant for a peer; any other may hold what only this machine should know. */
const errorSentence = (error: unknown): string =>
  error instanceof CodedError ? error.message : 'The tool failed on the machine';

export const createCalls = ({ clock, dispatch, outbox, postProgress, report }: CallsNeeds): Calls => {
  const ledger = createLedger();
  const running = new Map<string, { abort: AbortController; ended: Promise<void> }>();
  let stopped = false;

  const attempt = async (request: ToolRequest, signal: AbortSignal): Promise<ResponseBody> => {
    const progress = createProgressReporter(clock, (body) => postProgress(request.requestId, body));
    try {
      return { result: await dispatch(request, { signal, progress: progress.report }) };
    } catch (error) {
      return signal.aborted ? { result: cancelledResult } : { error: errorSentence(error) };
    } finally {
      progress.end();
    }
  };

  const run = async (request: ToolRequest, signal: AbortSignal): Promise<void> => {
    const startedAt = clock.now();
    const body = await attempt(request, signal);
    const outcome = outcomeOf(body);
    const text = JSON.stringify(body);
    ledger.answered(request.requestId, text, outcome === 'asked' ? 'asked' : 'answered');
    outbox.add({ requestId: request.requestId, body: text });
    running.delete(request.requestId);
    report({ request, outcome, durationMs: clock.now() - startedAt });
  };

  return {
    take: (request) => {
      if (stopped) return;
      const verdict = ledger.take(request);
      switch (verdict.type) {
        case 'run': {
          const abort = new AbortController();
          running.set(request.requestId, { abort, ended: run(request, abort.signal) });
          return;
        }
        case 'repeat':
          outbox.add({ requestId: request.requestId, body: verdict.body });
          return;
        case 'ignore':
          return;
        default:
          verdict satisfies never;
      }
    },
    cancel: (requestId, reason) => {
      ledger.cancelled(requestId);
      running.get(requestId)?.abort.abort(new Error(`cancelled: ${reason}`));
    },
    stop: async () => {
      stopped = true;
      const all = [...running.values()];
      for (const { abort } of all) abort.abort(new Error('the daemon is stopping'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
};
