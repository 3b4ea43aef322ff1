import { sessionsGetParams, sessionsGetResult as result } from '@drawbridge/contracts/rpc/sessions';
import { requireSession, sessionUserOf } from '../../agent/session.ts';
import { method } from '../../method.ts';

const iso = (at: number) => new Date(at).toISOString();

/** One session with its newest messages, oldest first. */
export const sessionsGet = method({
  name: 'sessions.get',
  who: 'agent',
  params: sessionsGetParams,
  result,
}).handle(async (ctx, { connection, params }) => {
  const { sessionId, threadId } = await requireSession(ctx, connection, params.sessionId);
  const user = sessionUserOf(connection.identity);
  const { limit } = params;
  const [thread, { messages, total }] = await Promise.all([
    ctx.sessions.thread(user.userId, threadId),
    ctx.sessions.messages(user, threadId, { limit }),
  ]);
  const { createdAt = 0, updatedAt = 0 } = thread ?? {};
  return { id: sessionId, createdAt: iso(createdAt), lastActiveAt: iso(updatedAt), history: messages, total };
});
