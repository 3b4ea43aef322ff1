import type {
  CancelReason,
  ProgressBody,
  ProgressReply,
  ResponseBody,
  ToolRequest,
  ToolResult,
} from '@drawbridge/contracts';
import { CodedError, endOfTurn, type Clock } from '@drawbridge/kit';
import type { Journal } from '../journal/index.ts';
import { createLedger, isQuestion } from './ledger.ts';
import type { Outbox } from './outbox.ts';
import { createProgressReporter } from './progress.ts';
import { createRoom } from './room.ts';
import type { Reply } from './server-api.ts';

export type Dispatch = (
  request: ToolRequest,
  context: {
    signal: AbortSignal;
    progress: (update: ProgressBody) => void;
    /** Said before anything is changed; rejects where that must not be. `paths`: files that may be left half-written. */
    starting(paths: string[]): Promise<void>;
    /** Awaited before a large result is read: few are on their way at once. Rejects with the signal's reason. */
    large(): Promise<void>;
  },
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
  journal: Journal;
  /** Whether the tool of that name changes anything. */
  changes(tool: string): boolean;
  postProgress(requestId: string, body: ProgressBody): Promise<Reply<ProgressReply>>;
  /** A call is run from now on; `report` follows. */
  began(request: ToolRequest): void;
  report(call: CallReport): void;
}

export interface Calls {
  take(request: ToolRequest): void;
  cancel(requestId: string, reason: CancelReason): void;
  /** Takes no more, aborts what runs, and resolves when all of it has ended. */
  stop(): Promise<void>;
}

const cancelledResult = (started: boolean): ToolResult => ({
  content: [{ type: 'text', text: 'The call was cancelled' }],
  isError: true,
  _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': started },
});

/** Large results of tools that read which are made or wait for the server. */
const largeResults = 2;

const nobody = () => undefined;

const cancelledBeforeStart = JSON.stringify({ result: cancelledResult(false) });

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

export const createCalls = (needs: CallsNeeds): Calls => {
  const { clock, dispatch, outbox, journal, changes, postProgress, began, report } = needs;
  const ledger = createLedger({ journal, changes });
  const room = createRoom(largeResults);
  const running = new Map<string, { abort: AbortController; ended: Promise<void> }>();
  let stopped = false;

  const attempt = async (
    request: ToolRequest,
    context: Omit<Parameters<Dispatch>[1], 'progress'>,
  ): Promise<{ outcome: CallOutcome; text: string }> => {
    const progress = createProgressReporter(clock, (body) => postProgress(request.requestId, body));
    const bodyOf = async (): Promise<ResponseBody> => {
      try {
        return { result: await dispatch(request, { ...context, progress: progress.report }) };
      } catch (error) {
        return context.signal.aborted ? { result: cancelledResult(true) } : { error: errorSentence(error) };
      } finally {
        progress.end();
      }
    };
    const body = await bodyOf();
    return { outcome: outcomeOf(body), text: JSON.stringify(body) };
  };

  const run = async (request: ToolRequest, signal: AbortSignal): Promise<void> => {
    const { requestId, toolCall } = request;
    const startedAt = clock.now();
    began(request);
    let isJournaled = false;
    const starting = async (paths: string[]) => {
      await journal.started(requestId, { tool: toolCall.name, paths });
      isJournaled = true;
    };
    if (changes(toolCall.name)) journal.received(requestId, toolCall.name);
    let place: Promise<() => void> | null = null;
    const large = async () => void (await (place ??= room.take(signal)));
    const { outcome, text } = await attempt(request, { signal, starting, large });
    if (isJournaled) {
      await journal.done(requestId, text);
      ledger.journaled(requestId);
    } else {
      if (outcome !== 'asked' && changes(toolCall.name)) journal.dropped(requestId);
      ledger.answered(requestId, text, outcome === 'asked' ? 'asked' : 'answered');
    }
    const durationMs = clock.now() - startedAt;
    void outbox.add({ requestId, body: text }).then(() => place?.then((leave) => leave(), nobody));
    // The post is on its way before anybody here is told.
    await endOfTurn();
    running.delete(requestId);
    report({ request, outcome, durationMs });
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
          void outbox.add({ requestId: request.requestId, body: verdict.body });
          return;
        case 'ignore':
          return;
        default:
          verdict satisfies never;
      }
    },
    cancel: (requestId, reason) => {
      running.get(requestId)?.abort.abort(new Error(`cancelled: ${reason}`));
      if (!ledger.cancelled(requestId)) return;
      journal.dropped(requestId);
      void outbox.add({ requestId, body: cancelledBeforeStart });
    },
    stop: async () => {
      stopped = true;
      const all = [...running.values()];
      for (const { abort } of all) abort.abort(new Error('the daemon is stopping'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
};
