import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import websocket, { type WebsocketPluginOptions } from '@fastify/websocket';
import { errorTable } from '@drawbridge/contracts/errors';
import { rpcLimits, rpcSubprotocol } from '@drawbridge/contracts/rpc/protocol';
import { createPerMinute, hasCode } from '@drawbridge/kit';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Tailnet, Tickets } from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { toCoded, toErrorReply } from '../../http/index.ts';
import { byCredential, byTailnet, createAuthenticate, type Entrance } from './authenticate.ts';
import type { RpcContext } from './context.ts';
import { createDrain } from './drain.ts';
import { addHealthRoute } from './http-routes.ts';
import { presenceOf, type Identity } from './identity.ts';
import { failureOf, type Failure } from './protocol/error.ts';
import { errorFrame } from './protocol/reply.ts';
import { closeCodes, createConnection } from './socket/connection.ts';
import { createConnections } from './socket/connections.ts';
import { serveSocket } from './socket/serve-socket.ts';
import { addTicketRoute } from './ticket.route.ts';

/** How long a closed socket may take to say so, in milliseconds. */
const closeTimeoutMs = 1_000;
/** Requests beyond the limit of a minute that one connection may make in a minute. */
const mostRefusals = 100;

interface Needs extends Omit<RpcContext, 'connections' | 'refusals' | 'isDraining'> {
  tickets: Tickets;
  /** Emits `upgrade` for requests to this door, as a server of HTTP does. */
  upgrades: EventEmitter;
  /** The largest frame, in bytes. */
  frameMaxBytes: number;
  /** Refuses other hosts and other sites' pages. */
  guardOrigin(request: FastifyRequest): Promise<void>;
}

/** A server on which sockets open. */
type Listener = Pick<Needs, 'upgrades' | 'guardOrigin'> & { entrance: Entrance };

const socketOptions = ({ upgrades, frameMaxBytes }: Pick<Needs, 'upgrades' | 'frameMaxBytes'>) => {
  const options: WebsocketPluginOptions['options'] & { closeTimeout: number } = {
    // The plugin only listens to its `upgrade`.
    server: upgrades as Server,
    maxPayload: frameMaxBytes,
    maxFragments: rpcLimits.fragments,
    closeTimeout: closeTimeoutMs,
    perMessageDeflate: false,
    handleProtocols: (names) => names.has(rpcSubprotocol) && rpcSubprotocol,
  };
  return options;
};

/** Errors of HTTP have the body of an error frame. */
const answerAsFrames = (app: FastifyInstance, { refusalNumber }: Entrance): void => {
  app.setErrorHandler((error: Error, request, reply) => {
    const { status, body } = toErrorReply(error, request);
    const failure = failureOf(body);
    const isRefused = body.code === errorTable.unauthorized.code;
    if (isRefused) reply.header('www-authenticate', 'Bearer');
    return reply
      .code(status)
      .header('cache-control', 'no-store')
      .send(errorFrame('seed', null, isRefused ? { ...failure, rpc: refusalNumber(request) } : failure));
  });
};

const socketHere = errors.badRequest({ message: 'This is a WebSocket', fix: 'Send Upgrade: websocket.' });

/** The WebSocket door: JSON-RPC at `/rpc`, described in docs/jsonrpc.md. */
export const createJsonRpcDoor = (needs: Needs) => {
  const { clock, frameMaxBytes } = needs;
  const connections = createConnections();
  const { isDraining, ...drain } = createDrain({ connections, clock });
  const refusals = createPerMinute({ clock, max: mostRefusals });
  const ctx: RpcContext = { ...needs, connections, refusals, isDraining };
  const authenticate = createAuthenticate(needs.limits);

  /** A page cannot read the answer of HTTP: it gets a socket with one frame. */
  const identifyOrRefuse = async (
    entrance: Entrance,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Identity | Failure> => {
    try {
      return await authenticate(entrance, request, reply);
    } catch (error) {
      const isPage = request.headers.origin !== undefined;
      if (!isPage || !(error instanceof Error) || !hasCode(error, errorTable.unauthorized.code)) throw error;
      return { ...failureOf(toCoded(error)), rpc: entrance.refusalNumber(request) };
    }
  };

  const sockets = async (app: FastifyInstance, listener: Listener): Promise<void> => {
    const { upgrades, guardOrigin, entrance } = listener;
    const opening = new WeakMap<FastifyRequest, Identity | Failure>();
    await app.register(websocket, {
      errorHandler: (_error, socket) => socket.terminate(),
      preClose: (done) => done(),
      options: socketOptions({ upgrades, frameMaxBytes }),
    });
    answerAsFrames(app, entrance);
    app.route({
      method: 'GET',
      url: '/rpc',
      onRequest: async (request, reply) => {
        await guardOrigin(request);
        if (isDraining()) throw errors.shuttingDown();
        if (request.ws) opening.set(request, await identifyOrRefuse(entrance, request, reply));
      },
      handler: async (_request, reply) =>
        reply
          .code(426)
          .header('upgrade', 'websocket')
          .send(errorFrame('seed', null, failureOf(socketHere))),
      wsHandler: (socket, request) => {
        const who = opening.get(request);
        if (who === undefined) return socket.terminate();
        if ('rpc' in who) {
          socket.send(JSON.stringify(errorFrame('seed', null, who)));
          return socket.close(closeCodes.policy);
        }
        const connection = createConnection({ socket, identity: who, clock, unread: needs.limits.unread });
        serveSocket(ctx, socket, connection);
        connection.onClosed(needs.presence.opened(presenceOf(who)));
      },
    });
  };
  const plugin: FastifyPluginAsync = async (app) => {
    addTicketRoute(app, needs);
    addHealthRoute(app, ctx, needs);
    await app.register(sockets, { ...needs, entrance: byCredential(needs) });
  };
  return {
    plugin,
    /** The sockets of a server for the tailnet: none of its requests has a credential. */
    tailnetPlugin: (tailnet: Tailnet, listener: Omit<Listener, 'entrance'>): FastifyPluginAsync => {
      const entrance = byTailnet(tailnet);
      return (app) => sockets(app, { ...listener, entrance });
    },
    ...drain,
  };
};

/** What the composition root has of the door beside its routes. */
export type JsonRpcDrain = Pick<ReturnType<typeof createJsonRpcDoor>, 'announce' | 'close'>;
