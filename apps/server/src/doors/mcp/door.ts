import type { Clock } from '@drawbridge/kit';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { createBearerGuard, resourceOf, type AccessControl } from '../../auth/index.ts';
import { bearerCaller, requireMachine, type BearerCaller } from '../../callers/index.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import {
  atClose,
  createQuota,
  cutStreamsAtClose,
  refuseOtherMethods,
  setCacheControl,
  type Limits,
  logFailure,
  setRetryAfter,
  toCoded,
} from '../../http/index.ts';
import { readRpcBody, toRpcError } from '../../rpc/index.ts';
import { createClientRequests } from './elicitation/client-requests.ts';
import { createSealedState } from './elicitation/sealed-state.ts';
import { statelessRevision } from './server-info.ts';
import { createInFlight } from './transport/in-flight.ts';
import { streamMachine } from './transport/list-changes.ts';
import { answerPost, type TransportContext } from './transport/post.ts';
import { createSessions } from './transport/sessions.ts';

/** The largest message, in bytes: the arguments of the largest call, and what goes around them. */
const bodyLimit = 4 * 1024 * 1024;
/** How long a client may keep the state of a tool that waits for its answers. */
const stateTtlMs = 24 * 60 * 60 * 1_000;

export interface McpSettings {
  /** Streams of changes that one user may have open. */
  streamsPerUser: number;
  /**
   * How long a call waits for the user's decision before the client has to ask again, in milliseconds.
   */
  waitMs: number;
}

interface Needs {
  gateway: Gateway;
  access: AccessControl;
  limits: Limits;
  clock: Clock;
  settings: McpSettings;
  /** What ids and states that clients carry are signed and encrypted with. */
  secret: string;
  /** The origin under which clients reach the server, and what refuses other hosts and other sites' pages. */
  site: { url(): string; guard(request: FastifyRequest): Promise<void> };
  /** Reports what was thrown inside, for the log. */
  onError(error: unknown): void;
}

/** Answers what was thrown before a message was read. */
const refuse = async (error: Error, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
  const { status, body } = toRpcError(error);
  if (status >= 500) logFailure(request.log, toCoded(error));
  setRetryAfter(reply, error);
  return reply.code(status).send(body);
};

const machineIdOf = ({ params }: FastifyRequest): string | undefined =>
  typeof params === 'object' && params !== null && 'machineId' in params
    ? String(params.machineId)
    : undefined;

/**
 * Authenticates the sender of a request, before its body is read. Throws `notFound` for a machine that is not
 * theirs.
 */
const createAuthenticate = ({ access, gateway, limits, site }: Needs) => {
  const guard = createBearerGuard({
    access,
    limits,
    resource: () => resourceOf(site.url()),
    // Where a client reads how to get a token (RFC 9728).
    challenge: () => `resource_metadata="${site.url()}/.well-known/oauth-protected-resource/mcp"`,
  });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<BearerCaller> => {
    const caller = bearerCaller(await guard(request, reply), machineIdOf(request));
    if (caller.machineId !== undefined) await requireMachine(gateway, caller);
    return caller;
  };
};

/**
 * Answers a GET: the stream on which a client of revision 2025-11-25 learns that its list of tools has
 * changed.
 */
const listen = (
  ctx: TransportContext,
  caller: BearerCaller,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): FastifyReply => {
  const { sessions, streams } = ctx;
  if (request.headers['mcp-protocol-version'] === statelessRevision) throw errors.methodNotAllowed();
  const session = request.headers['mcp-session-id'];
  if (session !== undefined && !sessions.read(String(session), caller.id))
    throw errors.notFound({ message: 'Session not found' });
  atClose(reply, streams.acquire(caller.userId));
  return streamMachine(reply, ctx, caller);
};

/** The door of MCP's clients: `/mcp` and `/mcp/:machineId`, in the revisions 2025-11-25 and 2026-07-28. */
export const createMcpDoor = (needs: Needs): FastifyPluginAsync => {
  const { gateway, clock, settings, secret, site, onError } = needs;
  const authenticate = createAuthenticate(needs);
  const ctx: TransportContext = {
    gateway,
    clock,
    onError,
    panelUrl: site.url,
    waitMs: settings.waitMs,
    sealedState: createSealedState({ secret, clock, ttlMs: stateTtlMs }),
    sessions: createSessions({ clock, secret }),
    inFlight: createInFlight(gateway),
    clientRequests: createClientRequests(gateway),
    streams: createQuota(settings.streamsPerUser),
  };

  return async (app) => {
    const cutAtClose = cutStreamsAtClose(app);
    app.addHook('onRequest', site.guard);
    setCacheControl(app, 'no-store');
    app.setErrorHandler(refuse);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: Buffer) => readRpcBody(body),
    );

    const callers = new WeakMap<FastifyRequest, BearerCaller>();
    const refuseOthers = refuseOtherMethods(app);
    for (const url of ['/mcp', '/mcp/:machineId']) {
      app.route({
        method: ['GET', 'POST'],
        url,
        bodyLimit,
        onRequest: async (request, reply) => {
          callers.set(request, await authenticate(request, reply));
        },
        handler: async (request, reply) => {
          const caller = callers.get(request);
          if (!caller || reply.raw.destroyed) throw errors.unauthorized();
          cutAtClose(reply);
          return request.method === 'GET'
            ? listen(ctx, caller, { request, reply })
            : answerPost(ctx, { caller, request, reply });
        },
      });
    }
    refuseOthers();
  };
};
