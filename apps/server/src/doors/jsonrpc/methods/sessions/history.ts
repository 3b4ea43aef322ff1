import { sessionsHistoryParams, sessionsHistoryResult as result } from '@drawbridge/contracts/rpc/sessions';
import { requireSession, sessionUserOf } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Messages of a session before one, oldest first. */
export const sessionsHistory = method({
  name: 'sessions.history',
  who: 'agent',
  params: sessionsHistoryParams,
  result,
}).handle(async (ctx, { connection, params: { sessionId, ...page } }) => {
  const { threadId } = await requireSession(ctx, connection, sessionId);
  return ctx.sessions.messages(sessionUserOf(connection.identity), threadId, page);
});
