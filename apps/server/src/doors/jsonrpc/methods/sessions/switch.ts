import { sessionParams, sessionsSwitchResult as result } from '@drawbridge/contracts/rpc/sessions';
import { requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Attaches the connection to a session that exists. */
export const sessionsSwitch = method({
  name: 'sessions.switch',
  who: 'agent',
  params: sessionParams,
  result,
}).handle(async (ctx, { connection, params }) => {
  const { sessionId, threadId } = await requireSession(ctx, connection, params.sessionId);
  const thread = await ctx.sessions.thread(connection.identity.userId, threadId);
  connection.sessionId = sessionId;
  return { sessionId, lastSeq: thread?.lastSeq ?? 0 };
});
