import websocket, { type WebsocketPluginOptions } from '@fastify/websocket';
import { rpcLimits, rpcSubprotocol } from '@drawbridge/contracts/rpc-protocol';
import type { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { errorTable } from '@drawbridge/contracts/errors';
import { errors } from '../../errors.ts';
import { toErrorReply } from '../../http/index.ts';
import { createAuthenticate } from './authenticate.ts';
import { createConnection } from './connection.ts';
import { createConnections } from './connections.ts';
import type { RpcContext } from './context.ts';
import type { Identity } from './identity.ts';
import { failureOf } from './protocol/error.ts';
import { errorFrame } from './protocol/reply.ts';
import { serveSocket } from './serve-socket.ts';

/** How long a closed socket may take to say so, in milliseconds. */
const closeTimeoutMs = 1_000;

interface Needs extends Omit<RpcContext, 'connections'> {
  /** Emits `upgrade` for requests to this door, as a server of HTTP does. */
  upgrades: EventEmitter;
  /** The largest frame, in bytes. */
  frameMaxBytes: number;
  /** Refuses other hosts and other sites' pages. */
  guardOrigin(request: FastifyRequest): Promise<void>;
}

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

/** The WebSocket door: JSON-RPC at `/rpc`, described in docs/jsonrpc.md. */
export const createJsonRpcDoor = (needs: Needs) => {
  const connections = createConnections();
  const ctx: RpcContext = { ...needs, connections };
  const { clock, accounts, access } = needs;
  const authenticate = createAuthenticate(needs);

  const verify = async (identity: Identity): Promise<boolean> =>
    identity.kind === 'token' ? (await access.verify(identity.bearer)) !== null : true;

  const plugin: FastifyPluginAsync = async (app) => {
    const identities = new WeakMap<FastifyRequest, Identity>();
    await app.register(websocket, {
      errorHandler: (_error, socket) => socket.terminate(),
      preClose: (done) => done(),
      options: socketOptions(needs),
    });
    app.setErrorHandler((error: Error, request, reply) => {
      const { status, body } = toErrorReply(error, request);
      const failure = failureOf(body);
      const isMissing =
        body.code === errorTable.unauthorized.code && request.headers.authorization === undefined;
      return reply
        .code(status)
        .header('cache-control', 'no-store')
        .send(errorFrame('seed', null, isMissing ? { ...failure, rpc: -4 } : failure));
    });
    app.route({
      method: 'GET',
      url: '/rpc',
      onRequest: async (request, reply) => {
        if (!request.ws) return;
        await needs.guardOrigin(request);
        identities.set(request, await authenticate(request, reply));
      },
      handler: async (_request, reply) =>
        reply
          .code(426)
          .header('upgrade', 'websocket')
          .send(errorFrame('seed', null, failureOf(errors.badRequest({ message: 'Open a WebSocket here' })))),
      wsHandler: (socket, request) => {
        const identity = identities.get(request);
        if (!identity) return socket.terminate();
        const connection = createConnection({ socket, identity, since: clock.now() });
        serveSocket(ctx, { socket, connection, verify: () => verify(identity) });
        connections.add(connection);
        const end = () => connection.close(1008);
        connection.onClosed(
          identity.kind === 'token'
            ? access.onRevoked(identity.access, end)
            : accounts.watch(identity.session, end),
        );
      },
    });
  };
  return plugin;
};
