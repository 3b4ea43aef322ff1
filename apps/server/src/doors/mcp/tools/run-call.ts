import type { Call } from '@drawbridge/contracts/calls';
import {
  followCall,
  followOrCancel,
  markUndelivered,
  startCall,
  startCallOnce,
  type NewCall,
  trackDelivery,
  type StartedCall,
} from '../../../callers/index.ts';
import { keyIn, waitMsIn } from '../call-meta.ts';
import { endAnswer, pageOf, repeatAnswer, waitingAnswer, waitingSentence } from './call-answer.ts';
import type { CallRequest, RunningCall, ToolAnswer, ToolsContext } from './call.ts';
import { promisesStructure } from './tool-schema.ts';

/**
 * When a request is answered at the latest while the user is asked. Throws a `ProtocolError` for a malformed
 * time.
 */
export const answerByOf = ({ clock, waitMs }: ToolsContext, { meta }: CallRequest): number =>
  clock.now() + (waitMsIn(meta) ?? waitMs);

const callIdOf = ({ caller: { userId } }: RunningCall, requestId: string) => ({ userId, requestId });

const followOptions = (ctx: ToolsContext, { watch, answerBy }: RunningCall) => ({
  waitMs: Math.max(0, answerBy - ctx.clock.now()),
  signal: watch.signal,
  onProgress: watch.onProgress,
  onAsked: (call: Parameters<typeof waitingSentence>[1]) =>
    watch.onProgress?.({ message: waitingSentence(ctx, call) }),
});

const start = async (ctx: ToolsContext, running: RunningCall): Promise<StartedCall> => {
  const { request, watch, tool, clientInput } = running;
  const key = keyIn(request.meta);
  // What follows upon the client's answers is another part of the same call.
  const isContinued = clientInput?.responses !== undefined || clientInput?.requestState !== undefined;
  const call: NewCall = {
    tool,
    arguments: request.arguments,
    door: 'mcp',
    until: 'asked',
    signal: watch.signal,
    ...(clientInput && { clientInput }),
    ...(watch.onProgress && { onProgress: watch.onProgress }),
  };
  return isContinued ? { kind: 'new', call: await startCall(ctx, call) } : startCallOnce(ctx, call, key);
};

const answerOf = async (ctx: ToolsContext, running: RunningCall, call: Call) => {
  const id = callIdOf(running, call.requestId);
  if (call.endedAt !== null) {
    trackDelivery(ctx, id, { delivered: running.watch.delivered, isMarked: true });
    return endAnswer(call);
  }
  await markUndelivered(ctx, id);
  const { descriptor } = running.tool;
  return waitingAnswer(ctx, call, {
    hasOutputSchema: descriptor !== undefined && promisesStructure(descriptor),
  });
};

/**
 * Waits for a call that was started, and answers with its outcome or with its state. Until then its client
 * can cancel it.
 */
export const answerStarted = async (ctx: ToolsContext, running: RunningCall, requestId: string) => {
  const call = await followOrCancel(ctx, callIdOf(running, requestId), followOptions(ctx, running));
  return answerOf(ctx, running, call);
};

const answerNew = async (ctx: ToolsContext, running: RunningCall, call: Call): Promise<ToolAnswer> => {
  const { requestId } = call;
  const { watch, elicitDecision } = running;
  const id = callIdOf(running, requestId);
  if (call.endedAt !== null) {
    trackDelivery(ctx, id, { delivered: watch.delivered, isMarked: false });
    return endAnswer(call);
  }
  const page = pageOf(ctx, call);
  if (page && elicitDecision) {
    await markUndelivered(ctx, id);
    return elicitDecision(requestId, page);
  }
  const closePage = page && watch.showPage?.(page);
  const now = await followOrCancel(ctx, id, followOptions(ctx, running));
  closePage?.(now.endedAt !== null);
  return answerOf(ctx, running, now);
};

/**
 * Runs a tool on the machine. While the user is asked, it waits until `answerBy`, then answers so and leaves
 * the call open. Throws as `startCallOnce`.
 */
export const runCall = async (ctx: ToolsContext, running: RunningCall): Promise<ToolAnswer> => {
  const started = await start(ctx, running);
  if (started.kind === 'new') return answerNew(ctx, running, started.call);
  const call = await followCall(ctx, callIdOf(running, started.first), followOptions(ctx, running));
  // Its client had cancelled it before it began.
  const isAsNeverMade = call.state === 'cancelled' && call.started === false;
  if (started.by === 'undelivered' && isAsNeverMade) return runCall(ctx, running);
  return repeatAnswer(await answerOf(ctx, running, call), started);
};
