import { hookLimits } from '@drawbridge/contracts/outside/hooks';
import { hasCode } from '@drawbridge/kit';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { Hooks } from '../../hooks/index.ts';
import { refuseOtherMethods, setCacheControl, type Limits } from '../../http/index.ts';

interface Needs {
  hooks: Hooks;
  limits: Limits;
}

/** Undefined for a header that is missing. Node joins a repeated one: no signature matches the result. */
const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** `POST /webhooks/:name` for other programs: signed, each delivery once. */
export const createWebhooksDoor =
  ({ hooks, limits }: Needs): FastifyPluginAsync =>
  async (app) => {
    setCacheControl(app, 'no-store');
    app.removeAllContentTypeParsers();
    // Of any type: the signature is over its bytes.
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const refuseOthers = refuseOtherMethods(app);
    app.route<{ Params: { name: string } }>({
      method: 'POST',
      url: '/webhooks/:name',
      bodyLimit: hookLimits.bodyBytes,
      onRequest: (request, reply) => limits.session.check(request, reply),
      handler: async (request, reply) => {
        const headers = {
          webhookId: headerOf(request, 'webhook-id'),
          webhookTimestamp: headerOf(request, 'webhook-timestamp'),
          webhookSignature: headerOf(request, 'webhook-signature'),
          bodySignature: headerOf(request, 'x-signature-256') ?? headerOf(request, 'x-hub-signature-256'),
        };
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.of();
        try {
          const answer = await hooks.receive({ name: request.params.name, headers, body });
          return await reply.code('duplicate' in answer ? 200 : 202).send(answer);
        } catch (error) {
          if (hasCode(error, 'UNAUTHORIZED')) await limits.session.count(request, reply);
          throw error;
        }
      },
    });
    refuseOthers();
  };
