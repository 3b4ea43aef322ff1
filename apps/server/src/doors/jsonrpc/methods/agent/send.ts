import { agentSendParams, agentSendResult as result } from '@drawbridge/contracts/rpc/agent';
import { idempotencyKey as keySchema } from '../../../../callers/index.ts';
import { readAttachments } from '../../agent/attachments.ts';
import { followRequest } from '../../agent/follow-request.ts';
import { openSendsOf } from '../../agent/open-sends.ts';
import { claimSession, requireAgent, senderOf } from '../../agent/session.ts';
import { method } from '../../method.ts';

const nothingUsed = { inputTokens: 0, outputTokens: 0 };

/** A message to the agent: its events, then the whole answer. Commands such as `/queue` have no run. */
export const agentSend = method({
  name: 'agent.send',
  who: 'agent',
  params: agentSendParams,
  result,
}).handle(async (ctx, { connection, params, id, event: emit, signal }) => {
  const { lanes } = requireAgent(ctx);
  const { message: text, queueMode: mode, idempotencyKey } = params;
  const key = keySchema.optional().parse(idempotencyKey);
  const attachments = readAttachments(params.attachments);
  const session = await claimSession(ctx, connection, params.sessionId);
  const { sessionId, threadId } = session;
  const { identity } = connection;
  const sender = senderOf(identity, sessionId);

  const answer = await lanes.command(sender, threadId, text);
  if (answer !== null) {
    emit({ event: 'content', data: { text: answer, offset: 0 }, sessionId });
    emit({ event: 'done', data: { content: answer }, sessionId });
    return { sessionId, content: answer, response: answer, usage: nothingUsed };
  }
  const request = await lanes.send(sender, threadId, { text, attachments, mode, key });
  const close = openSendsOf(connection).open({ id, threadId, requestId: request.requestId });
  try {
    return await followRequest(ctx, { identity, session, request, emit, signal });
  } finally {
    close();
  }
});
