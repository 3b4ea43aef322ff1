import { toolUseCallbackParams, toolUseCallbackResult as result } from '@drawbridge/contracts/rpc/agent';
import { followQuestions } from '../../agent/follow-questions.ts';
import { canAnswer } from '../../agent/questions.ts';
import { requireSession } from '../../agent/session.ts';
import { callbacksOf } from '../../agent/subscriptions.ts';
import { method } from '../../method.ts';

/** Whether the connection shows questions about calls of a session; they come on the id of this request. */
export const agentSetToolUseCallback = method({
  name: 'agent.setToolUseCallback',
  who: 'agent',
  params: toolUseCallbackParams,
  result,
}).handle(async (ctx, { connection, params: { sessionId, enabled }, stream: emit, afterReply }) => {
  const { threadId } = await requireSession(ctx, connection, sessionId);
  const { identity } = connection;
  const callbacks = callbacksOf(connection);
  if (enabled) {
    const { lastSeq: afterSeq = 0 } = (await ctx.sessions.thread(identity.userId, threadId)) ?? {};
    const signal = callbacks.add(threadId);
    afterReply(() => void followQuestions(ctx, { identity, threadId, afterSeq, emit, signal }));
  } else callbacks.end(threadId);
  return { success: true, canAnswer: canAnswer(identity) };
});
