import {
  isInitializeRequest,
  isJSONRPCResponse,
  type InboundClassificationOutcome,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BearerCaller } from '../../../callers/index.ts';
import { atClose, sendResponse, whenDelivered, type Quota } from '../../../http/index.ts';
import { isRecord, isRpcId, rpcCodes, rpcError, type RpcId } from '../../../rpc/index.ts';
import { asksClient } from '../elicitation/call-tool.ts';
import { capabilitiesIn } from '../elicitation/client-capabilities.ts';
import type { ClientKey, ClientRequests, ClientSession } from '../elicitation/client-requests.ts';
import type { ElicitationContext } from '../elicitation/sealed-state.ts';
import { answerPlain } from '../fast-path/answer-plain.ts';
import {
  classify,
  headerParametersIn,
  readPlainRequest,
  type McpHeaders,
  type PlainRequest,
} from '../fast-path/plain-request.ts';
import { answerWithSdk } from '../sdk/sdk-server.ts';
import { findMachineTool } from '../tools/tool-list.ts';
import type { InFlight } from './in-flight.ts';
import { machineBus } from './list-changes.ts';
import type { Sessions } from './sessions.ts';

/** What the transport keeps between requests. */
export interface TransportContext extends ElicitationContext {
  sessions: Sessions;
  inFlight: InFlight;
  clientRequests: ClientRequests;
  /** Streams of changes of each user. */
  streams: Quota;
}

interface Exchange {
  caller: BearerCaller;
  request: FastifyRequest;
  reply: FastifyReply;
}

const sessionHeader = 'mcp-session-id';

const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

const mcpHeadersOf = (request: FastifyRequest): McpHeaders => ({
  version: headerOf(request, 'mcp-protocol-version'),
  method: headerOf(request, 'mcp-method'),
  name: headerOf(request, 'mcp-name'),
  accept: headerOf(request, 'accept'),
});

/** The id of a request of revision 2025-11-25; null for every other message. */
const requestIdIn = (outcome: InboundClassificationOutcome, body: unknown): RpcId | null =>
  outcome.kind === 'legacy' && outcome.reason === 'no-claim' && isRecord(body) && isRpcId(body['id'])
    ? body['id']
    : null;

/** The request that a message cancels; null for every other message. */
const cancelledId = (body: unknown): RpcId | null => {
  if (!isRecord(body) || body['method'] !== 'notifications/cancelled') return null;
  const { params } = body;
  return isRecord(params) && isRpcId(params['requestId']) ? params['requestId'] : null;
};

/** Whether the answer is a stream of changes that stays open (revision 2026-07-28). */
const isListen = (outcome: InboundClassificationOutcome): boolean =>
  outcome.kind === 'modern' && outcome.message.method === 'subscriptions/listen';

/** The capabilities in an `initialize`. */
const declaredIn = (body: unknown): unknown =>
  isInitializeRequest(body) ? body.params.capabilities : undefined;

/**
 * Whether the SDK must answer: it compares headers with parts of the call, or the tool may ask for something
 * the client cannot do, or the client can show pages.
 */
const needsSdk = async (
  ctx: TransportContext,
  caller: BearerCaller,
  { isStateless, call, capabilities }: PlainRequest,
) => {
  if (call === null) return false;
  if (capabilities.includes('elicitation/url')) return true;
  const tool = isStateless ? await findMachineTool(ctx, caller, call.name) : undefined;
  return asksClient(tool) || headerParametersIn(tool?.inputSchema);
};

interface LegacyMessage {
  outcome: InboundClassificationOutcome;
  body: unknown;
  leaving: AbortController;
}

/** Registers a request of revision 2025-11-25, which its client may cancel. */
const track = ({ inFlight }: TransportContext, client: ClientKey, message: LegacyMessage): (() => void) => {
  const id = requestIdIn(message.outcome, message.body);
  return id === null ? () => {} : inFlight.add(client, id, () => message.leaving.abort());
};

const refuse = (reply: FastifyReply, status: number, error: Parameters<typeof rpcError>[0]) =>
  reply.code(status).send(rpcError(error));

/**
 * Finds the session of a message of revision 2025-11-25. A message without a valid one, and a response to the
 * server, are answered here.
 */
const enterSession = async (
  ctx: TransportContext,
  { caller, request, reply }: Exchange,
  message: LegacyMessage,
): Promise<{ answered: FastifyReply } | { session: ClientSession | null }> => {
  const { sessions, clientRequests, inFlight } = ctx;
  const id = headerOf(request, sessionHeader) ?? null;
  const known = id === null ? null : sessions.read(id, caller.id);
  if (id !== null && !known)
    return {
      answered: refuse(reply, 404, { code: rpcCodes.sessionNotFound, message: 'Session not found' }),
    };
  const client = { callerId: caller.id, session: id };
  const { outcome, body } = message;
  if (known && outcome.kind === 'legacy' && outcome.reason === 'response' && isJSONRPCResponse(body)) {
    await clientRequests.resolve(client, body);
    return { answered: reply.code(202).send() };
  }
  const cancelled = cancelledId(body);
  if (cancelled !== null) await inFlight.cancel(client, cancelled);
  atClose(reply, track(ctx, client, message));
  return {
    session: known && {
      ...known,
      ask: (asked, options) => clientRequests.ask(client, asked, options),
    },
  };
};

/** Answers a POST: one message of either revision. */
export const answerPost = async (ctx: TransportContext, exchange: Exchange): Promise<FastifyReply> => {
  const { caller, request, reply } = exchange;
  const { body } = request;
  if (body === undefined)
    return refuse(reply, 400, { code: rpcCodes.parseError, message: 'Parse error: the body is not JSON' });
  if (Array.isArray(body))
    return refuse(reply, 400, {
      code: rpcCodes.invalidRequest,
      message: 'Batches are not supported: send one message per request',
    });

  const headers = mcpHeadersOf(request);
  const outcome = classify(body, headers);
  const leaving = new AbortController();
  const delivered = whenDelivered(request, reply);
  void delivered.then((isDelivered) => isDelivered || leaving.abort());
  const { signal } = leaving;
  const isStart = outcome.kind === 'legacy' && outcome.reason === 'initialize';
  const entered =
    outcome.kind === 'legacy' && !isStart
      ? await enterSession(ctx, exchange, { outcome, body, leaving })
      : { session: null };
  if ('answered' in entered) return entered.answered;

  const plain = readPlainRequest(outcome, body, headers);
  if (plain && !(await needsSdk(ctx, caller, plain))) {
    const streams = headers.accept?.includes('text/event-stream') ?? false;
    return answerPlain(ctx, { ...entered, caller, request: plain, reply, signal, delivered, streams });
  }
  if (isListen(outcome)) atClose(reply, ctx.streams.acquire(caller.userId));
  const bus = machineBus(ctx, caller);
  const response = await answerWithSdk(ctx, { caller, request, signal, delivered, bus });
  if (isStart) reply.header(sessionHeader, ctx.sessions.issue(caller.id, capabilitiesIn(declaredIn(body))));
  return sendResponse(reply, response);
};
