import type { Clock } from '@drawbridge/kit';
import { isInputRequiredResult, ProtocolError, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import type { BearerCaller } from '../../../callers/index.ts';
import { atClose, createSseStream } from '../../../http/index.ts';
import { rpcError } from '../../../rpc/index.ts';
import { callTool } from '../elicitation/call-tool.ts';
import type { ClientSession } from '../elicitation/client-requests.ts';
import { showPageOf } from '../elicitation/confirmation-page-2025.ts';
import type { ElicitationContext } from '../elicitation/sealed-state.ts';
import { elicitOnStream } from '../elicitation/tool-elicitation-2025.ts';
import { cacheHint, serverInfo } from '../server-info.ts';
import type { CallWatch } from '../tools/call.ts';
import { createProgress } from '../tools/progress.ts';
import { listTools } from '../tools/tool-list.ts';
import type { PlainRequest } from './plain-request.ts';

/** After this long without an answer it becomes a stream, with a comment each time so that it stays alive. */
const quietMs = 10_000;

/**
 * How one request is answered: JSON when the answer comes soon and alone, else an event stream that ends with
 * it.
 */
interface AnswerChannel {
  notify(message: object): void;
  end(message: object): FastifyReply;
}

interface ChannelOptions {
  clock: Clock;
  /** Whether the client reads an event stream. */
  streams: boolean;
}

const createAnswerChannel = (reply: FastifyReply, { clock, streams }: ChannelOptions): AnswerChannel => {
  // A client that does not read loses notifications, never the answer.
  const stream = createSseStream(reply, { clock, slowReader: 'skip' });
  const cancelTicking = clock.every(quietMs, () => {
    if (streams) stream.comment('waiting');
  });
  atClose(reply, cancelTicking);

  return {
    notify: (data) => {
      if (streams) stream.send({ event: 'message', data });
    },
    end: (data) => {
      cancelTicking();
      if (!stream.isOpen())
        return reply.header('content-type', 'application/json').send(JSON.stringify(data));
      stream.end({ event: 'message', data });
      return reply;
    },
  };
};

/** A plain request and the exchange in which it is answered. */
export interface PlainExchange extends Pick<CallWatch, 'signal' | 'delivered'> {
  caller: BearerCaller;
  request: PlainRequest;
  reply: FastifyReply;
  /** Whether the client reads an event stream. */
  streams: boolean;
  /** Null for a client without a session. */
  session: ClientSession | null;
}

/** What revision 2026-07-28 has in every result. */
const stateless = ({ _meta, ...result }: { _meta?: Record<string, unknown>; [name: string]: unknown }) => ({
  ...result,
  resultType: 'complete',
  _meta: { ..._meta, [SERVER_INFO_META_KEY]: serverInfo },
});

const watchOf = (
  { request, signal, delivered, streams, session }: PlainExchange,
  { notify }: AnswerChannel,
) => {
  const { progressToken } = request;
  const progress = createProgress();
  const onProgress: CallWatch['onProgress'] = (event) =>
    notify({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { ...progress(event), progressToken },
    });
  const showsPages = streams && session?.capabilities.includes('elicitation/url');
  return {
    signal,
    delivered,
    ...(progressToken !== undefined && { onProgress }),
    ...(showsPages && session && { showPage: showPageOf(session, notify) }),
  };
};

const resultOf = async (ctx: ElicitationContext, exchange: PlainExchange, channel: AnswerChannel) => {
  const { caller, session, signal, streams } = exchange;
  const { call, meta, isStateless } = exchange.request;
  if (!call) return { tools: await listTools(ctx, caller), ...(isStateless && cacheHint) };
  const request = { ...call, meta, client: { capabilities: session?.capabilities ?? [] } };
  const watch = watchOf(exchange, channel);
  const answer = await callTool(ctx, caller, { request, watch });
  if (!isInputRequiredResult(answer)) return answer;
  const ask: Parameters<typeof elicitOnStream>[1]['ask'] =
    session && streams ? (asked) => session.ask(asked, { send: channel.notify, signal }) : null;
  return elicitOnStream(ctx, { caller, request, watch, ask }, answer);
};

/** Answers a plain request as the protocol's own server would, without its cost. */
export const answerPlain = async (
  ctx: ElicitationContext,
  exchange: PlainExchange,
): Promise<FastifyReply> => {
  const { reply, streams } = exchange;
  const { id, isStateless } = exchange.request;
  const channel = createAnswerChannel(reply, { clock: ctx.clock, streams });
  try {
    const result = await resultOf(ctx, exchange, channel);
    return channel.end({ jsonrpc: '2.0', id, result: isStateless ? stateless(result) : result });
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { code, message, data } = error;
    return channel.end(rpcError({ id, code, message, data }));
  }
};
