import {
  sessionParams,
  sessionsCreateParams,
  sessionsCreateResult,
  sessionsGetParams,
  sessionsGetResult,
  sessionsHistoryParams,
  sessionsHistoryResult,
  sessionsListParams,
  sessionsListResult,
  sessionsSubscribeParams,
  sessionsSubscribeResult,
  sessionsSwitchResult,
} from '@drawbridge/contracts/rpc/sessions';
import { success } from '@drawbridge/contracts/rpc/system';
import { nanoid } from 'nanoid';
import { followSession } from '../agent/follow.ts';
import { claimSession, makeThread, requireAgent, requireSession, sessionUserOf } from '../agent/session.ts';
import { subscriptionsOf } from '../agent/subscriptions.ts';
import { method } from '../method.ts';

/** The sessions that the connection may use, the last used first. */
export const sessionsList = method('sessions.list', 'agent', {
  params: sessionsListParams,
  result: sessionsListResult,
}).handle(async ({ sessions, connections }, { connection: { identity }, params }) => {
  const { includePersisted, ...page } = params;
  if (includePersisted) return sessions.list(sessionUserOf(identity), page);
  const own = connections
    .ofUser(identity.userId)
    .filter((one) => one.identity.principal === identity.principal);
  return sessions.list(sessionUserOf(identity), {
    ...page,
    onlyOpen: new Set(own.map(({ sessionId }) => sessionId)),
  });
});

const iso = (at: number) => new Date(at).toISOString();

/** One session with its newest messages, oldest first. */
export const sessionsGet = method('sessions.get', 'agent', {
  params: sessionsGetParams,
  result: sessionsGetResult,
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

/** Messages of a session before one, oldest first. */
export const sessionsHistory = method('sessions.history', 'agent', {
  params: sessionsHistoryParams,
  result: sessionsHistoryResult,
}).handle(async (ctx, { connection, params: { sessionId, ...page } }) => {
  const { threadId } = await requireSession(ctx, connection, sessionId);
  return ctx.sessions.messages(sessionUserOf(connection.identity), threadId, page);
});

/** Makes a session, or finds the one with that name, and attaches the connection to it. */
export const sessionsCreate = method('sessions.create', 'agent', {
  params: sessionsCreateParams,
  result: sessionsCreateResult,
}).handle(async (ctx, { connection, params: { sessionId = `ws:${nanoid()}` } }) => {
  const user = sessionUserOf(connection.identity);
  const known = await ctx.sessions.find(user, sessionId);
  const { threadId } = known ?? (await claimSession(ctx, connection, sessionId));
  if (!known) await makeThread(ctx, connection, threadId);
  connection.sessionId = sessionId;
  return { sessionId, created: known === null, attached: true };
});

/** Attaches the connection to a session that exists. */
export const sessionsSwitch = method('sessions.switch', 'agent', {
  params: sessionParams,
  result: sessionsSwitchResult,
}).handle(async (ctx, { connection, params }) => {
  const { sessionId, threadId } = await requireSession(ctx, connection, params.sessionId);
  const thread = await ctx.sessions.thread(connection.identity.userId, threadId);
  connection.sessionId = sessionId;
  return { sessionId, lastSeq: thread?.lastSeq ?? 0 };
});

/** Follows a session on the id of this request: what was missed since `afterSeq`, then what happens. */
export const sessionsSubscribe = method('sessions.subscribe', 'agent', {
  params: sessionsSubscribeParams,
  result: sessionsSubscribeResult,
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
export const sessionsUnsubscribe = method('sessions.unsubscribe', 'agent', {
  params: sessionParams,
  result: success,
}).handle(async (ctx, { connection, params }) => {
  const { threadId } = await requireSession(ctx, connection, params.sessionId);
  subscriptionsOf(connection).end(threadId);
  return { success: true };
});

/** Cancels what runs in a session, and deletes it with its messages. */
export const sessionsDelete = method('sessions.delete', 'agent', {
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
