import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { Logger } from '../program/log.ts';
import { errorHandler } from './errors.ts';
import { jsonParser } from './json-body.ts';
import { pageHeaders } from './page-headers.ts';

const kilobyte = 1024;
const secondMs = 1_000;

interface ServerNeeds {
  log: Logger;
  /** Addresses of the proxies whose forwarded headers are believed. */
  trustProxy: string[];
  /** Whether people reach the server by https. */
  secure: boolean;
  /** The longest that a request may wait for its answer, in milliseconds. */
  longestAnswerMs: number;
}

/** The open port; 0 before the server listens. */
export const portOf = ({ server }: Pick<FastifyInstance, 'server'>): number => {
  const bound = server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : 0;
};

/** Every answer of a door says whether and how long caches may keep it. */
export const setCacheControl = (app: FastifyInstance, value: string): void => {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('cache-control', value);
    done();
  });
};

/** One line for each answer, at the level `debug`. */
const logAnswers = (app: FastifyInstance): void => {
  app.addHook('onResponse', (request, reply, done) => {
    const { method, routeOptions } = request;
    const record = {
      method,
      route: routeOptions.url ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    request.log.debug(record, 'answered');
    done();
  });
};

const refuseSchema = () => {
  throw new Error('Routes are described with zod: Fastify compiles no schema here');
};
/** In the place of Ajv and its serializer, which take a tenth of a start to load. */
const noSchemas = { buildValidator: () => refuseSchema, buildSerializer: () => refuseSchema };

/**
 * Fastify with its open defaults closed: time-outs, small bodies, JSON alone, coded errors, strict headers of
 * pages.
 */
export const createServer = async ({
  log,
  trustProxy,
  secure,
  longestAnswerMs,
}: ServerNeeds): Promise<FastifyInstance> => {
  const app = fastify({
    // Pino's logger has all that Fastify asks of one; its type is only narrower.
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy.length > 0 ? trustProxy : false,
    requestTimeout: 120 * secondMs,
    connectionTimeout: longestAnswerMs + 60 * secondMs,
    bodyLimit: 64 * kilobyte,
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => void errorHandler(error, request, reply),
    routerOptions: { maxParamLength: 2_000 },
    schemaController: { compilersFactory: noSchemas },
  });
  app.server.headersTimeout = 20 * secondMs;
  app.server.maxHeadersCount = 100;

  const headers = pageHeaders(secure);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    jsonParser((json) => json?.value),
  );
  app.setErrorHandler(errorHandler);

  if (log.isLevelEnabled('debug')) logAnswers(app);
  return app;
};
