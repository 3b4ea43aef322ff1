import { success } from '@drawbridge/contracts/rpc/system';
import { sessionParams } from '@drawbridge/contracts/rpc/sessions';
import { requireAgent, requireSession } from '../../agent/session.ts';
import { method } from '../../method.ts';

/** Cancels what runs in a session, and deletes it with its messages. */
export const sessionsDelete = method({
  name: 'sessions.delete',
  who: 'agent',
  params: sessionParams,
  result: success,
}).handle(async (ctx, { connection, params }) => {
  const agent = requireAgent(ctx);
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  const { userId } = connection.identity;
  await agent.lanes.cancel(userId, threadId, {});
  await agent.threads.remove(userId, threadId);
  await ctx.sessions.remove(userId, threadId);
  return { success: true };
});
