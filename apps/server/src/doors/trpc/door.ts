import { chatBodyLimit } from '@drawbridge/contracts/agent/threads';
import { resolveResponse, type TRPCRequestInfo } from '@trpc/server/http';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import {
  createQuota,
  credentialsOf,
  cutStreamsAtClose,
  jsonParser,
  sendResponse,
  setRetryAfter,
  setCacheControl,
  type Limits,
  type Quota,
} from '../../http/index.ts';
import { appRouter } from './app.router.ts';
import type { Context, ServerContext } from './context.ts';
import { errorShape } from './error-shape.ts';
import { exportCalls } from './calls/export-calls.ts';
import { toRequest } from './request-adapter.ts';

/** How many procedures one request may name. */
const maxBatchSize = 20;
/** Exports of calls that one user may have running. */
const exportsPerUser = 2;
/** Take files, when they are not in a batch with others. */
const filePaths = ['agent.send', 'voice.understand'];

interface Needs extends ServerContext {
  limits: Limits;
  /** Refuses what another site sends with a user's cookie. */
  guardOrigin(request: FastifyRequest): Promise<void>;
  /** The largest body, in bytes. */
  bodyLimit: number;
  /** Subscriptions that one user may have open. */
  streams: Quota;
}

/** The panel's door: the app's router below `/trpc`, with subscriptions as event streams. */
export const createTrpcDoor = (needs: Needs): FastifyPluginAsync => {
  const { limits, guardOrigin, bodyLimit, streams, ...server } = needs;
  const { accounts, gateway, onError } = server;
  const exports = createQuota(exportsPerUser);
  /** A browser's event stream has no headers of ours: its proof is a parameter of the connection. */
  const credentials = (request: FastifyRequest, { connectionParams }: TRPCRequestInfo) => {
    const { cookie, proof } = credentialsOf(request);
    return { cookie, proof: proof ?? connectionParams?.sessionProof };
  };
  const context = async (
    request: FastifyRequest,
    reply: FastifyReply,
    info: TRPCRequestInfo,
  ): Promise<Context> => {
    const session = await accounts.session(credentials(request, info));
    if (session) limits.unread.count(reply, session.user.id);
    return {
      ...server,
      session,
      userAgent: request.headers['user-agent'],
      countAttempt: () => limits.setup.count(request, reply),
      streams,
      unread: limits.unread,
      setCookies: (cookies) => void reply.header('set-cookie', cookies),
    };
  };

  return async (app) => {
    const cutAtClose = cutStreamsAtClose(app);
    app.addHook('onRequest', guardOrigin);
    setCacheControl(app, 'no-store');

    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      jsonParser((json) => json?.text ?? ''),
    );

    const answer = async (request: FastifyRequest, reply: FastifyReply, path: string) => {
      cutAtClose(reply);
      const response = await resolveResponse({
        router: appRouter,
        req: toRequest(request, reply),
        path,
        error: null,
        maxBatchSize,
        createContext: ({ info }) => context(request, reply, info),
        onError: ({ error }) => {
          if (error.cause) setRetryAfter(reply, error.cause);
          if (errorShape(error, undefined).data.httpStatus >= 500) onError(error.cause ?? error);
        },
      });
      await sendResponse(reply, response);
    };

    app.route<{ Params: { path: string } }>({
      method: ['GET', 'POST'],
      url: '/:path',
      bodyLimit,
      handler: (request, reply) => answer(request, reply, request.params.path),
    });
    app.get('/export/calls', async (request, reply) => {
      const session = await accounts.session(credentialsOf(request));
      if (!session) throw errors.unauthorized();
      limits.unread.count(reply, session.user.id);
      cutAtClose(reply);
      return exportCalls({ gateway, exports }, session.user.id, { request, reply });
    });
    for (const path of filePaths)
      app.route({
        method: 'POST',
        url: `/${path}`,
        bodyLimit: chatBodyLimit,
        // Before the body is read: only a person who is signed in may send a large one.
        onRequest: async (request, reply) => {
          if (await accounts.session(credentialsOf(request))) return;
          await answer(request, reply, path);
        },
        handler: (request, reply) => answer(request, reply, path),
      });
  };
};
