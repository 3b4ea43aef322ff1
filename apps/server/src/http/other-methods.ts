import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';

/** Answers other methods of the routes that `routes` registers with 405 and `Allow`. */
export const refuseOtherMethods = (app: FastifyInstance): (() => void) => {
  const known = new Map<string, string[]>();
  let open = true;
  app.addHook('onRoute', ({ routePath, method }) => {
    if (open) known.set(routePath, [...(known.get(routePath) ?? []), ...[method].flat()]);
  });
  return () => {
    open = false;
    for (const [url, allowed] of known) {
      const others = app.supportedMethods.filter((method) => !allowed.includes(method));
      const refuse = async (_request: FastifyRequest, reply: FastifyReply) => {
        reply.header('allow', allowed.join(', '));
        throw errors.methodNotAllowed();
      };
      // Before the body is read.
      app.route({ method: others, url, onRequest: refuse, handler: refuse });
    }
  };
};
