import {
  isInitializeRequest,
  isJSONRPCResponse,
  type InboundClassificationOutcome,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendResponse, type Places } from '../../http/index.ts';
import type { AnswerPlain, Session } from './answer-plain.ts';
import type { Caller } from './caller.ts';
import { classify } from './classify.ts';
import type { ClientRequests } from './client-requests.ts';
import { abilitiesOf } from './client-side.ts';
import { headerParametersIn } from './header-parameters.ts';
import type { InFlight, Whose } from './in-flight.ts';
import { isRecord, isRpcId, rpcCodes, rpcError, type RpcId } from './json-rpc.ts';
import { readPlainRequest, type McpHeaders, type PlainRequest } from './plain-request.ts';
import type { Serve } from './serve.ts';
import type { Sessions } from './sessions.ts';
import { asksClient, type Toolbox } from './toolbox.ts';

interface PostNeeds {
  toolbox: Toolbox;
  answerPlain: AnswerPlain;
  serve: Serve;
  sessions: Sessions;
  inFlight: InFlight;
  clientRequests: ClientRequests;
  /** For a stream that waits for news; throws `tooManyRequests` when none is free. */
  streams: Places;
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

/** The request that a message takes back; null for every other message. */
const cancelledId = (body: unknown): RpcId | null => {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('params' in body)) return null;
  const { method, params } = body;
  if (method !== 'notifications/cancelled' || typeof params !== 'object' || params === null) return null;
  return 'requestId' in params && isRpcId(params.requestId) ? params.requestId : null;
};

/** Whether the answer is a stream of news that stays open (revision 2026-07-28). */
const isListen = (outcome: InboundClassificationOutcome): boolean =>
  outcome.kind === 'modern' && outcome.message.method === 'subscriptions/listen';

/** The capabilities in an `initialize`. */
const declaredIn = (body: unknown): unknown =>
  isInitializeRequest(body) ? body.params.capabilities : undefined;

/**
 * Resolves when the exchange is over, with whether the answer was written whole. What a connection that was cut had still to
 * write counts as finished too, so the connection is asked.
 */
const readWhole = ({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply) =>
  new Promise<boolean>((resolve) => {
    let whole = false;
    raw.once('finish', () => {
      whole = !socket.destroyed;
    });
    raw.once('close', () => resolve(whole));
  });

/** Answers a POST: one message of either revision. */
export const createPost = (needs: PostNeeds) => {
  const { toolbox, answerPlain, serve, sessions, inFlight, clientRequests, streams } = needs;

  /**
   * Whether the call is one for the protocol's own server: parts of it must stand in headers too, which that compares, or
   * the tool may ask for what the client cannot do, or the client can be shown a page.
   */
  const isOutOfTheOrdinary = async (caller: Caller, { isStateless, call, can }: PlainRequest) => {
    if (call !== null && can.includes('elicitation/url')) return true;
    const tool = isStateless && call !== null ? await toolbox.find(caller, call.name) : undefined;
    return asksClient(tool) || headerParametersIn(tool?.inputSchema);
  };

  /** Follows a message of revision 2025-11-25: what it takes back, and what may take it back. */
  const follow = (
    whose: Whose,
    { outcome, body }: { outcome: InboundClassificationOutcome; body: unknown },
    leaving: AbortController,
  ): (() => void) => {
    const cancelled = cancelledId(body);
    if (cancelled !== null) inFlight.cancel(whose, cancelled);
    const id = requestIdIn(outcome, body);
    return id === null ? () => {} : inFlight.add(whose, id, () => leaving.abort());
  };

  return async (caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    const refuse = (status: number, error: Parameters<typeof rpcError>[0]) =>
      reply.code(status).send(rpcError(error));
    if (body === undefined)
      return refuse(400, { code: rpcCodes.parseError, message: 'Parse error: the body is not JSON' });
    if (Array.isArray(body))
      return refuse(400, { code: rpcCodes.invalidRequest, message: 'Batches are not part of the protocol' });

    const headers = mcpHeadersOf(request);
    const outcome = classify(body, headers);
    const leaving = new AbortController();
    const read = readWhole(request, reply);
    void read.then((isRead) => isRead || leaving.abort());
    const { signal } = leaving;
    const isStart = outcome.kind === 'legacy' && outcome.reason === 'initialize';
    let session: Session | null = null;
    if (outcome.kind === 'legacy' && !isStart) {
      const id = headerOf(request, sessionHeader) ?? null;
      const held = id === null ? null : sessions.read(id, caller.accessId);
      if (id !== null && !held)
        return refuse(404, { code: rpcCodes.sessionNotFound, message: 'Session not found' });
      const whose = { accessId: caller.accessId, session: id };
      if (held && outcome.reason === 'response' && isJSONRPCResponse(body)) {
        clientRequests.take(whose, body);
        return reply.code(202).send();
      }
      reply.raw.once('close', follow(whose, { outcome, body }, leaving));
      session = held && {
        ...held,
        ask: (asked, how) => clientRequests.ask(whose, asked, how),
      };
    }

    const plain = readPlainRequest(outcome, body, headers);
    if (plain && !(await isOutOfTheOrdinary(caller, plain)))
      return answerPlain(caller, plain, {
        reply,
        signal,
        read,
        streams: headers.accept?.includes('text/event-stream') ?? false,
        session,
      });
    if (isListen(outcome)) reply.raw.once('close', streams.take(caller.userId));
    const response = await serve(caller, request, { signal, read });
    if (isStart) reply.header(sessionHeader, sessions.issue(caller.accessId, abilitiesOf(declaredIn(body))));
    return sendResponse(reply, response);
  };
};
