import { resolveResponse } from '@trpc/server/http';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Accounts, Clients, Tokens } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { createPlaces, cutStreamsAtClose, jsonParser, sendResponse, type Limits } from '../../http/index.ts';
import { appRouter } from './app.router.ts';
import type { Context } from './context.ts';
import { errorShape } from './error-shape.ts';
import { toRequest } from './exchange.ts';

/** How many procedures one request may name. */
const maxBatchSize = 20;

interface Needs {
  gateway: Gateway;
  accounts: Accounts;
  tokens: Tokens;
  clients: Clients;
  limits: Limits;
  /** Refuses what another site sends with a user's cookie. */
  guardOrigin(request: FastifyRequest): Promise<void>;
  /** The largest body, in bytes. */
  bodyLimit: number;
  /** Subscriptions that one user may have open. */
  streamsPerUser: number;
  /** Hears what was thrown inside, for the log. */
  onError(error: unknown): void;
}

/** The panel's door: the app's router below `/trpc`, with subscriptions as event streams. */
export const createTrpcDoor = ({
  gateway,
  accounts,
  tokens,
  clients,
  limits,
  guardOrigin,
  bodyLimit,
  streamsPerUser,
  onError,
}: Needs): FastifyPluginAsync => {
  const streams = createPlaces(streamsPerUser);
  const context = async (request: FastifyRequest, reply: FastifyReply): Promise<Context> => ({
    gateway,
    accounts,
    tokens,
    clients,
    session: await accounts.session(request.headers.cookie),
    countAttempt: () => limits.setup.count(request, reply),
    streams,
    setCookies: (cookies) => void reply.header('set-cookie', cookies),
  });

  return async (app) => {
    const cutAtClose = cutStreamsAtClose(app);
    app.addHook('onRequest', guardOrigin);
    app.addHook('onRequest', (_request, reply, done) => {
      reply.header('cache-control', 'no-store');
      done();
    });

    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      jsonParser((json) => json?.text ?? ''),
    );

    app.route<{ Params: { path: string } }>({
      method: ['GET', 'POST'],
      url: '/:path',
      bodyLimit,
      handler: async (request, reply) => {
        cutAtClose(reply);
        const response = await resolveResponse({
          router: appRouter,
          req: toRequest(request, reply),
          path: request.params.path,
          error: null,
          maxBatchSize,
          createContext: () => context(request, reply),
          onError: ({ error }) => {
            if (errorShape(error, undefined).data.httpStatus >= 500) onError(error.cause ?? error);
          },
        });
        await sendResponse(reply, response);
      },
    });
  };
};
