import {
  agentCancelParams,
  agentCancelResult,
  agentSendParams,
  agentSendResult,
  toolUseCallbackParams,
  toolUseCallbackResult,
} from '@drawbridge/contracts/rpc/agent';
import { idempotencyKey as keySchema } from '../../../callers/index.ts';
import { readAttachments } from '../agent/attachments.ts';
import { followQuestions } from '../agent/follow.ts';
import { followRequest } from '../agent/follow-request.ts';
import { openSendsOf } from '../agent/open-sends.ts';
import { findRequest, readOut, transcribeAll } from '../agent/said.ts';
import { canAnswer } from '../agent/questions.ts';
import { claimSession, requireAgent, requireSession, senderOf, sessionUserOf } from '../agent/session.ts';
import { callbacksOf } from '../agent/subscriptions.ts';
import { method } from '../method.ts';

const nothingUsed = { inputTokens: 0, outputTokens: 0 };

/** A message to the agent: its events, then the whole answer. Commands such as `/queue` have no run. */
export const agentSend = method('agent.send', 'agent', {
  params: agentSendParams,
  result: agentSendResult,
}).handle(async (ctx, { connection, params, id, event: emit, signal }) => {
  const { lanes } = requireAgent(ctx);
  const { message: text, queueMode: mode, idempotencyKey } = params;
  const key = keySchema.optional().parse(idempotencyKey);
  const { attachments, audios } = readAttachments(params.attachments);
  const { identity, sessionId: ownSession } = connection;
  const place = { id, sessionId: params.sessionId ?? ownSession };
  const send = openSendsOf(connection).open(place, async (stoppable) => {
    const session = await claimSession(ctx, connection, params.sessionId);
    const sender = senderOf(identity, session.sessionId);
    const answer = await lanes.command(sender, session.threadId, text);
    if (answer !== null) return { session, answer };
    const { threadId } = session;
    if (audios.length === 0)
      return { session, request: await lanes.send(sender, threadId, { text, attachments, mode, key }) };
    // What is transcribed again may differ.
    const known = await findRequest(lanes, sender, { threadId, key });
    if (known) return { session, request: known };
    const said = await stoppable((stop) => transcribeAll(ctx.transcribe, audios, stop));
    const spoken = [text.trim(), ...said].filter((one) => one !== '').join('\n\n');
    const input = { text: spoken, attachments, mode, key };
    return { session, request: await lanes.send(sender, threadId, input) };
  });
  try {
    const { session, ...accepted } = await send.accepted;
    if ('request' in accepted)
      return await followRequest(ctx, {
        identity,
        session,
        request: accepted.request,
        emit,
        readOut: async (content) =>
          (params.speech ?? audios.length > 0)
            ? send.stoppable((stop) => readOut(ctx.speech, content, AbortSignal.any([stop, signal])))
            : null,
        signal,
      });
    const { answer } = accepted;
    const { sessionId } = session;
    emit({ event: 'content', data: { text: answer, offset: 0 }, sessionId });
    emit({ event: 'done', data: { content: answer }, sessionId });
    return { sessionId, content: answer, response: answer, usage: nothingUsed };
  } finally {
    send.close();
  }
});

/**
 * Cancels what waits and runs in a session, or one request. Without a session: that of the newest open
 * message of the connection, else its own.
 */
export const agentCancel = method('agent.cancel', 'agent', {
  params: agentCancelParams,
  result: agentCancelResult,
}).handle(async (ctx, { connection, params: { sessionId, requestId } }) => {
  const { lanes } = requireAgent(ctx);
  const { identity } = connection;
  const sends = openSendsOf(connection);
  const stopped = sends.stop({ id: requestId, sessionId });
  // It was all that was meant.
  if (stopped > 0 && (requestId !== undefined || sessionId === undefined))
    return { cancelled: true, rejected: stopped };
  const send = await sends.find({ id: requestId, sessionId });
  const one = requestId === undefined ? {} : { requestId: send?.request.requestId ?? String(requestId) };
  const own =
    sessionId === undefined && !send
      ? await ctx.sessions.find(sessionUserOf(identity), connection.sessionId)
      : undefined;
  if (own === null) return { cancelled: false, rejected: 0 };
  const threadId =
    sessionId === undefined
      ? (send?.session.threadId ?? own?.threadId ?? '')
      : (await requireSession(ctx, connection, sessionId)).threadId;
  const { cancelled, runId, rejected } = await lanes.cancel(identity.userId, threadId, one);
  const all = { cancelled: cancelled || stopped > 0, rejected: rejected + stopped };
  return { ...all, ...(runId !== null && { runId }) };
});

/** Whether the connection shows questions about calls of a session; they come on the id of this request. */
export const agentSetToolUseCallback = method('agent.setToolUseCallback', 'agent', {
  params: toolUseCallbackParams,
  result: toolUseCallbackResult,
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
