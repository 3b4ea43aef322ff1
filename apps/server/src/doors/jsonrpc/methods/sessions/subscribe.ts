import { success } from '@drawbridge/contracts/rpc/system';
import {
  sessionParams,
  sessionsSubscribeParams,
  sessionsSubscribeResult as result,
} from '@drawbridge/contracts/rpc/sessions';
import { followSession } from '../../agent/follow-session.ts';
import { requireAgent, requireSession } from '../../agent/session.ts';
import { subscriptionsOf } from '../../agent/subscriptions.ts';
import { method } from '../../method.ts';

/** Follows a session on the id of this request: what was missed since `afterSeq`, then what happens. */
export const sessionsSubscribe = method({
  name: 'sessions.subscribe',
  who: 'agent',
  params: sessionsSubscribeParams,
  result,
}).handle(async (ctx, { connection, params, stream: emit, afterReply }) => {
  const { threads } = requireAgent(ctx);
  const { identity } = connection;
  const session = await requireSession(ctx, connection, params.sessionId);
  const { sessionId, threadId } = session;
  const { lastSeq: newest = 0 } = (await ctx.sessions.thread(identity.userId, threadId)) ?? {};
  const { afterSeq = newest } = params;
  const { isReset, lastSeq: seq } = await threads.eventsAfter(identity.userId, threadId, afterSeq);
  const signal = subscriptionsOf(connection).add(threadId);
  afterReply(() => void followSession(ctx, { identity, session, afterSeq, emit, signal }));
  return { sessionId, seq, reset: isReset };
});

/** Ends it; nothing happens without one. */
export const sessionsUnsubscribe = method({
  name: 'sessions.unsubscribe',
  who: 'agent',
  params: sessionParams,
  result: success,
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  subscriptionsOf(connection).end(threadId);
  return { success: true };
});
