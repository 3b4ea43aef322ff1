import type { Clock } from '@drawbridge/kit';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessControl } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import type { Gateway } from '../../gateway/index.ts';
import { createPlaces, cutStreamsAtClose, refuseOtherMethods, type Limits } from '../../http/index.ts';
import { createAnswerPlain } from './answer-plain.ts';
import { createAuthenticate } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { createClientRequests } from './client-requests.ts';
import { createTools } from './create-tools.ts';
import { createInFlight } from './in-flight.ts';
import { machineBus, machineStream } from './list-changes.ts';
import { createPost } from './post.ts';
import { refuseInRpc } from './refusals.ts';
import { readRpcBody } from './rpc-body.ts';
import { createSeal } from './seal.ts';
import { createServe } from './serve.ts';
import { createSessions } from './sessions.ts';

/** The largest message, in bytes: the arguments of the largest call, and what goes around them. */
const bodyLimit = 4 * 1024 * 1024;
/** How long a client may keep the state of a tool that waits for its answers. */
const stateTtlMs = 24 * 60 * 60 * 1_000;
const statelessRevision = '2026-07-28';

export interface McpSettings {
  /** Streams that wait for news, for one person. */
  streamsPerUser: number;
  /** How long a call waits for the person's decision before its caller is told to ask again. */
  waitMs: number;
}

interface Needs {
  gateway: Gateway;
  access: AccessControl;
  limits: Limits;
  clock: Clock;
  settings: McpSettings;
  /** What the ids that clients carry are sealed with. */
  secret: string;
  /** The origin under which clients reach the server, and what refuses other hosts and other sites' pages. */
  site: { url(): string; guard(request: FastifyRequest): Promise<void> };
  /** Hears what was thrown inside, for the log. */
  onError(error: unknown): void;
}

/** The door of MCP's clients: `/mcp` and `/mcp/:machineId`, in the revisions 2025-11-25 and 2026-07-28. */
export const createMcpDoor = ({
  gateway,
  access,
  limits,
  clock,
  settings,
  secret,
  site,
  onError,
}: Needs): FastifyPluginAsync => {
  const authenticate = createAuthenticate({ access, gateway, limits, url: site.url });
  const toolbox = createTools({
    gateway,
    clock,
    seal: createSeal({ secret, clock, ttlMs: stateTtlMs }),
    panelUrl: site.url,
    waitMs: settings.waitMs,
    onError,
  });
  const streams = createPlaces(settings.streamsPerUser);
  const sessions = createSessions({ clock, secret });
  const post = createPost({
    toolbox,
    answerPlain: createAnswerPlain({ toolbox, clock }),
    serve: createServe({ toolbox, busOf: ({ userId }) => machineBus(gateway, userId) }),
    sessions,
    inFlight: createInFlight(),
    clientRequests: createClientRequests(),
    streams,
  });

  const listen = (caller: Caller, request: FastifyRequest, reply: FastifyReply) => {
    if (request.headers['mcp-protocol-version'] === statelessRevision) throw errors.methodNotAllowed();
    const session = request.headers['mcp-session-id'];
    if (session !== undefined && !sessions.read(String(session), caller.accessId))
      throw errors.notFound({ message: 'Session not found' });
    reply.raw.once('close', streams.take(caller.userId));
    reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no');
    return reply.send(machineStream(gateway, caller.userId, clock));
  };

  return async (app) => {
    const cutAtClose = cutStreamsAtClose(app);
    app.addHook('onRequest', site.guard);
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });
    app.setErrorHandler(refuseInRpc);
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, readRpcBody);

    const callers = new WeakMap<FastifyRequest, Caller>();
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
          return request.method === 'GET' ? listen(caller, request, reply) : post(caller, request, reply);
        },
      });
    }
    refuseOthers();
  };
};
