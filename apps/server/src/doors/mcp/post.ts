import { classifyInboundRequest, isJSONRPCRequest } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendResponse } from '../../http/index.ts';
import type { Caller } from './caller.ts';
import type { InFlight } from './in-flight.ts';
import { rpcCodes, rpcError, type RpcId } from './json-rpc.ts';
import type { Serve } from './serve.ts';
import type { Sessions } from './sessions.ts';

interface PostNeeds {
  serve: Serve;
  sessions: Sessions;
  inFlight: InFlight;
}

const sessionHeader = 'mcp-session-id';

const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

const isRpcId = (value: unknown): value is RpcId => typeof value === 'string' || typeof value === 'number';

const cancelledId = (body: unknown): RpcId | null => {
  if (typeof body !== 'object' || body === null || !('method' in body) || !('params' in body)) return null;
  const { method, params } = body;
  if (method !== 'notifications/cancelled' || typeof params !== 'object' || params === null) return null;
  return 'requestId' in params && isRpcId(params.requestId) ? params.requestId : null;
};

/** Answers a POST: one message of either revision. */
export const createPost =
  ({ serve, sessions, inFlight }: PostNeeds) =>
  async (caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { body } = request;
    const refuse = (status: number, error: Parameters<typeof rpcError>[0]) =>
      reply.code(status).send(rpcError(error));
    if (body === undefined)
      return refuse(400, { code: rpcCodes.parseError, message: 'Parse error: the body is not JSON' });
    if (Array.isArray(body))
      return refuse(400, { code: rpcCodes.invalidRequest, message: 'Batches are not part of the protocol' });

    const leaving = new AbortController();
    reply.raw.once('close', () => leaving.abort());
    const protocolVersionHeader = headerOf(request, 'mcp-protocol-version');
    const outcome = classifyInboundRequest({
      httpMethod: 'POST',
      ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
      body,
    });
    if (outcome.kind !== 'legacy') return sendResponse(reply, await serve(caller, request, leaving.signal));

    const isStart = outcome.reason === 'initialize';
    const session = isStart ? null : (headerOf(request, sessionHeader) ?? null);
    if (session !== null && !sessions.isOf(session, caller.accessId))
      return refuse(404, { code: rpcCodes.sessionNotFound, message: 'Session not found' });
    const whose = { accessId: caller.accessId, session };
    const cancelled = cancelledId(body);
    if (cancelled !== null) inFlight.cancel(whose, cancelled);
    if (isJSONRPCRequest(body)) {
      const answered = inFlight.add(whose, body.id, () => leaving.abort());
      reply.raw.once('close', answered);
    }
    const response = await serve(caller, request, leaving.signal);
    if (isStart) reply.header(sessionHeader, sessions.issue(caller.accessId));
    return sendResponse(reply, response);
  };
