import {
  classifyInboundRequest,
  isJSONRPCRequest,
  type InboundClassificationOutcome,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendResponse } from '../../http/index.ts';
import type { AnswerPlain } from './answer-plain.ts';
import type { Caller } from './caller.ts';
import { headerParametersIn } from './header-parameters.ts';
import type { InFlight } from './in-flight.ts';
import { rpcCodes, rpcError, type RpcId } from './json-rpc.ts';
import { readPlainRequest, type McpHeaders, type PlainRequest } from './plain-request.ts';
import type { Serve } from './serve.ts';
import type { Sessions } from './sessions.ts';
import type { Toolbox } from './toolbox.ts';

interface PostNeeds {
  toolbox: Toolbox;
  answerPlain: AnswerPlain;
  serve: Serve;
  sessions: Sessions;
  inFlight: InFlight;
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

const classify = (body: unknown, { version, method, name }: McpHeaders): InboundClassificationOutcome =>
  classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    ...(name !== undefined && { mcpNameHeader: name }),
    body,
  });

const isRpcId = (value: unknown): value is RpcId => typeof value === 'string' || typeof value === 'number';

/** The request that a message takes back; null for every other message. */
const cancelledId = (body: unknown): RpcId | null => {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('params' in body)) return null;
  const { method, params } = body;
  if (method !== 'notifications/cancelled' || typeof params !== 'object' || params === null) return null;
  return 'requestId' in params && isRpcId(params.requestId) ? params.requestId : null;
};

/** Answers a POST: one message of either revision. */
export const createPost = ({ toolbox, answerPlain, serve, sessions, inFlight }: PostNeeds) => {
  /** Whether parts of the call must stand in headers too, which the protocol's server compares. */
  const hasHeaderParameters = async (caller: Caller, { isStateless, call }: PlainRequest) =>
    isStateless && call !== null && headerParametersIn(await toolbox.inputSchema(caller, call.name));

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
    reply.raw.once('close', () => leaving.abort());
    const isStart = outcome.kind === 'legacy' && outcome.reason === 'initialize';
    if (outcome.kind === 'legacy' && !isStart) {
      const session = headerOf(request, sessionHeader) ?? null;
      if (session !== null && !sessions.isOf(session, caller.accessId))
        return refuse(404, { code: rpcCodes.sessionNotFound, message: 'Session not found' });
      const whose = { accessId: caller.accessId, session };
      const cancelled = cancelledId(body);
      if (cancelled !== null) inFlight.cancel(whose, cancelled);
      if (isJSONRPCRequest(body)) {
        const answered = inFlight.add(whose, body.id, () => leaving.abort());
        reply.raw.once('close', answered);
      }
    }

    const plain = readPlainRequest(outcome, body, headers);
    if (plain && !(await hasHeaderParameters(caller, plain)))
      return answerPlain(caller, plain, {
        reply,
        signal: leaving.signal,
        streams: headers.accept?.includes('text/event-stream') ?? false,
      });
    const response = await serve(caller, request, leaving.signal);
    if (isStart) reply.header(sessionHeader, sessions.issue(caller.accessId));
    return sendResponse(reply, response);
  };
};
