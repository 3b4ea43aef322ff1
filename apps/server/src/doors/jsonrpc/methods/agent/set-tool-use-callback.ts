import { toolUseCallbackParams, toolUseCallbackResult as result } from '@drawbridge/contracts/rpc/agent';
import { callbacksOf } from '../../agent/callbacks.ts';
import { canAnswer } from '../../agent/questions.ts';
import { requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Whether the connection shows questions about calls of a session; they come on the id of this request. */
export const agentSetToolUseCallback = method({
  name: 'agent.setToolUseCallback',
  who: 'agent',
  params: toolUseCallbackParams,
  result,
}).handle(async (ctx, { connection, params: { sessionId, enabled }, stream, afterReply }) => {
  const { threadId } = await requireSession(ctx, connection, sessionId);
  const callbacks = callbacksOf(connection);
  if (enabled) afterReply(() => callbacks.enable(ctx, threadId, stream));
  else callbacks.disable(threadId);
  return { success: true, canAnswer: canAnswer(connection.identity) };
});
