import { sessionsCreateParams, sessionsCreateResult as result } from '@drawbridge/contracts/rpc/sessions';
import { nanoid } from 'nanoid';
import { claimSession, requireAgent, sessionUserOf } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Makes a session, or finds the one with that name, and attaches the connection to it. */
export const sessionsCreate = method({
  name: 'sessions.create',
  who: 'agent',
  params: sessionsCreateParams,
  result,
}).handle(async (ctx, { connection, params: { sessionId = `ws:${nanoid()}` } }) => {
  const user = sessionUserOf(connection.identity);
  const known = await ctx.sessions.find(user, sessionId);
  const { threadId } = known ?? (await claimSession(ctx, connection, sessionId));
  if (!known) await requireAgent(ctx).threads.create(user.userId, threadId);
  connection.sessionId = sessionId;
  return { sessionId, created: known === null, attached: true };
});
