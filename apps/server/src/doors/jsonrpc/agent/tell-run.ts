import type { ThreadFrame } from '@drawbridge/contracts/agent/threads';
import type { RpcContext } from '../context.ts';
import type { Identity } from '../identity.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import { askQuestion } from './questions.ts';
import { createRunEvents, type RunStep } from './run-events.ts';
import { requireAgent } from './session.ts';

/** Pictures of a result that go out as an event, in characters of base64. */
const maxPictureLength = 8 * 1024 * 1024;

/** A run of a session, for one connection. */
export interface ToldRun {
  identity: Identity;
  threadId: string;
  sessionId: string;
  runId: string;
}

/** Sends the output of running calls of the machine. */
const followOutput = (
  { gateway }: RpcContext,
  { identity, sessionId, runId }: ToldRun,
  emit: (event: RpcEvent) => void,
) => {
  const calls = new Map<string, string>();
  const { stop } = gateway.calls.onChanged(identity.userId, (event) => {
    const callId = event.type === 'progress' ? calls.get(event.requestId) : undefined;
    if (event.type !== 'progress' || callId === undefined || event.output === undefined) return;
    const data = { callId, output: event.output, offset: event.outputOffset };
    emit({ event: 'tool_output', data, sessionId, runId });
  });
  return { add: (requestId: string, callId: string) => calls.set(requestId, callId), stop };
};

/** Emits what the frames of a thread mean for a run; `take` resolves with whether the run has finished. */
export const createRunTeller = (ctx: RpcContext, run: ToldRun, emit: (event: RpcEvent) => void) => {
  const { identity, threadId, sessionId, runId } = run;
  const { userId } = identity;
  const { threads } = requireAgent(ctx);
  const stepsOf = createRunEvents({ runId, sessionId });
  const output = followOutput(ctx, run, emit);
  const asked = new Map<string, string>();
  const place = { sessionId, runId };
  const state = (name: string, data: object) =>
    emit({ event: 'run_state', data: { state: name, ...data, timestamp: ctx.clock.now() }, ...place });

  const attach = async (fileId: string, callId: string) => {
    const { mediaType: mimeType, data, name: filename } = await threads.file(userId, fileId);
    if (data.length > maxPictureLength) return;
    emit({ event: 'attachment', data: { mimeType, data, filename, callId }, ...place });
  };

  const tell = async (step: RunStep): Promise<void> => {
    switch (step.kind) {
      case 'event':
        return emit(step.event);
      case 'call':
        return void output.add(step.requestId, step.callId);
      case 'picture':
        return attach(step.fileId, step.callId);
      case 'asked': {
        const question = await askQuestion(ctx, { identity, threadId }, step.payload);
        asked.set(step.payload.requestId, question.confirmId);
        state('suspended', { confirmId: question.confirmId, url: question.url });
        return emit({ event: 'confirm_request', data: question, ...place });
      }
      case 'closed': {
        const confirmId = asked.get(step.requestId) ?? step.requestId;
        emit({ event: 'confirm_resolved', data: { confirmId, state: step.outcome }, ...place });
        return state('resumed', { confirmId });
      }
      case 'finished':
        return;
      default:
        return step satisfies never;
    }
  };

  return {
    take: async (frame: ThreadFrame): Promise<boolean> => {
      const steps = stepsOf(frame);
      for (const step of steps) await tell(step);
      return steps.some(({ kind }) => kind === 'finished');
    },
    stop: output.stop,
  };
};
