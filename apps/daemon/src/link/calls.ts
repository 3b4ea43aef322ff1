import { createHash } from 'node:crypto';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import type { CancelReason, ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { ProgressReply } from '@drawbridge/contracts/daemon-reply';
import type { ProgressBody, ResponseBody } from '@drawbridge/contracts/daemon-surface';
import { turnTool, type FormAnswer } from '@drawbridge/contracts/machines/runtimes';
import { confirmationArgument } from '@drawbridge/contracts/tool-call';
import { CodedError, createTransientMap, nextMacrotask, type Clock } from '@drawbridge/kit';
import type { Journal } from '../journal/index.ts';
import { cancelledResult, type Dispatch, type DispatchContext } from '../tools/common/dispatch.ts';
import { createRequestDedupe } from './request-dedupe.ts';
import type { Outbox } from './results/outbox.ts';
import { createProgressReporter } from './results/progress.ts';
import type { Reply } from './reply.ts';

/**
 * Marks what a call starts and leaves half-written, so that both are found after a crash. Another daemon's
 * call of the same id has another tag: `instance` is the journal's. 22 characters of base64url.
 */
export const callTag = (instance: string, requestId: string): string =>
  createHash('sha256').update(`${instance}\n${requestId}`).digest('base64url').slice(0, 22);

export type CallOutcome = 'ok' | 'failed' | 'denied' | 'asked' | 'cancelled';

export interface CallReport {
  request: ToolRequest;
  outcome: CallOutcome;
  durationMs: number;
}

export interface CallsNeeds {
  clock: Clock;
  dispatch: Dispatch;
  /** The journal's. */
  instance: string;
  outbox: Outbox;
  journal: Journal;
  changes(tool: string): boolean;
  postProgress(requestId: string, body: ProgressBody): Promise<Reply<ProgressReply>>;
  /** A call that does not run was cancelled, or denied: its question is not open any more. */
  withdrawn(requestId: string, denialReason?: string): void;
  began(request: ToolRequest): void;
  report(call: CallReport): void;
}

const cancelledBeforeStart = JSON.stringify({ result: cancelledResult(false) });

const outcomeOf = (body: ResponseBody): CallOutcome => {
  const { result } = body;
  if (result === undefined) return 'failed';
  if (questionOf(result) !== undefined) return 'asked';
  const named = result._meta?.['drawbridge/outcome'];
  if (named === 'denied' || named === 'cancelled') return named;
  return result.isError === true ? 'failed' : 'ok';
};

/** A coded error's sentence is meant for a peer; any other may hold what only this machine should know. */
const errorSentence = (error: unknown): string =>
  error instanceof CodedError ? error.message : 'The tool failed on the machine';

const attempt = async (
  { clock, dispatch, postProgress, cancel }: CallsNeeds & { cancel(requestId: string): void },
  request: ToolRequest,
  context: Omit<DispatchContext, 'progress' | 'answers' | 'withdraw'>,
): Promise<{ outcome: CallOutcome; text: string }> => {
  let answered: (answers: readonly FormAnswer[]) => void = () => {};
  const answers = (listen: typeof answered) => {
    answered = listen;
  };
  const progress = createProgressReporter(clock, async (body) => {
    const reply = await postProgress(request.requestId, body);
    // A coding agent does not work on where the server has ended its turn; not every server has this route.
    if (reply.ok) answered(reply.value.answers ?? []);
    if (!reply.ok && reply.status === 404 && request.toolCall.name === turnTool) cancel(request.requestId);
    return reply;
  });
  const below: string[] = [];
  const report = (update: ProgressBody) => {
    below.push(...(update.actions ?? []).map(({ requestId }) => requestId));
    progress.report(update);
  };
  const withdraw = (requestId: string) => {
    if (below.includes(requestId)) cancel(requestId);
  };
  const bodyOf = async (): Promise<ResponseBody> => {
    try {
      return { result: await dispatch(request, { ...context, progress: report, answers, withdraw }) };
    } catch (error) {
      return context.signal.aborted ? { result: cancelledResult(true) } : { error: errorSentence(error) };
    } finally {
      progress.end();
      // What it has asked for waits for an answer no longer.
      for (const requestId of below) cancel(requestId);
    }
  };
  const body = await bodyOf();
  return { outcome: outcomeOf(body), text: JSON.stringify(body) };
};

export const createCalls = (needs: CallsNeeds) => {
  const { clock, instance, outbox, journal, changes, withdrawn, began, report } = needs;
  const dedupe = createRequestDedupe({ journal, changes });
  const running = createTransientMap<string, { abort: AbortController; ended: Promise<void> }>();
  let stopped = false;

  const run = async (request: ToolRequest, signal: AbortSignal): Promise<void> => {
    const { requestId, toolCall } = request;
    const startedAt = clock.now();
    began(request);
    let isJournaled = false;
    const starting = async (paths: string[]) => {
      await journal.started(requestId, { tool: toolCall.name, paths });
      isJournaled = true;
    };
    const isChange = changes(toolCall.name);
    const mayRunAgain = !isChange && !(confirmationArgument in toolCall.arguments);
    if (isChange) journal.received(requestId, toolCall.name);
    const delivery = Promise.withResolvers<void>();
    const context = { tag: callTag(instance, requestId), signal, starting, delivered: delivery.promise };
    const { outcome, text } = await attempt(
      { ...needs, cancel: (below) => cancel(below, 'caller') },
      request,
      context,
    );
    if (isJournaled) {
      await journal.done(requestId, text);
      dedupe.journaled(requestId);
    } else {
      if (outcome !== 'asked' && isChange) journal.dropped(requestId);
      dedupe.answered(requestId, text, outcome === 'asked' ? 'asked' : 'answered');
    }
    const durationMs = clock.now() - startedAt;
    void outbox.add({ requestId, body: text }).then(() => {
      delivery.resolve();
      if (mayRunAgain) dedupe.delivered(requestId);
    });
    // The post is on its way before anything here is reported.
    await nextMacrotask();
    running.delete(requestId);
    report({ request, outcome, durationMs });
  };

  const cancel = (requestId: string, reason: CancelReason, denialReason?: string) => {
    running.get(requestId)?.abort.abort(new Error(`cancelled: ${reason}`));
    if (!dedupe.cancelled(requestId)) return;
    withdrawn(requestId, denialReason);
    journal.dropped(requestId);
    void outbox.add({ requestId, body: cancelledBeforeStart });
  };

  return {
    take: (request: ToolRequest) => {
      if (stopped) return;
      const verdict = dedupe.take(request);
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
    cancel,
    /** Accepts no more calls, aborts those that run, and resolves when all have ended. */
    stop: async () => {
      stopped = true;
      const all = [...running.values()];
      for (const { abort } of all) abort.abort(new Error('the daemon is stopping'));
      await Promise.all(all.map(({ ended }) => ended));
    },
  };
};

export type Calls = ReturnType<typeof createCalls>;
