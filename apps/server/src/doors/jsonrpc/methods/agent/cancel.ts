import { agentCancelParams, agentCancelResult as result } from '@drawbridge/contracts/rpc/agent';
import { openSendsOf } from '../../agent/open-sends.ts';
import { requireAgent, requireSession, sessionUserOf } from '../../agent/session.ts';
import { method } from '../../method.ts';

/**
 * Cancels what waits and runs in a session, or one request. Without a session: that of the newest open
 * message of the connection, else its own.
 */
export const agentCancel = method({
  name: 'agent.cancel',
  who: 'agent',
  params: agentCancelParams,
  result,
}).handle(async (ctx, { connection, params: { sessionId, requestId } }) => {
  const { lanes } = requireAgent(ctx);
  const { identity } = connection;
  const sends = openSendsOf(connection);
  const send = requestId === undefined ? sends.newest() : sends.byId(requestId);
  const one = requestId === undefined ? {} : { requestId: send?.requestId ?? String(requestId) };
  const own =
    sessionId === undefined && !send
      ? await ctx.sessions.find(sessionUserOf(identity), connection.sessionId)
      : undefined;
  if (own === null) return { cancelled: false, rejected: 0 };
  const threadId =
    sessionId === undefined
      ? (send?.threadId ?? own?.threadId ?? '')
      : (await requireSession(ctx, connection, sessionId)).threadId;
  const { cancelled, runId, rejected } = await lanes.cancel(identity.userId, threadId, one);
  return { cancelled, rejected, ...(runId !== null && { runId }) };
});
