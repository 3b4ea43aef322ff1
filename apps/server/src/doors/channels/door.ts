import { channelKinds, platformOf } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { hasCode } from '@drawbridge/kit';
import type { FastifyPluginAsync } from 'fastify';
import type { Channels } from '../../channels/index.ts';
import { refuseOtherMethods, setCacheControl, type Limits } from '../../http/index.ts';

const queryOf = (url: string) => new URL(url, 'http://localhost').searchParams;

interface Needs {
  channels: Pick<Channels, 'receive'>;
  limits: Limits;
}

/** Where chat platforms post what people write: each post has a secret of the bot. */
export const createChannelsDoor =
  ({ channels, limits }: Needs): FastifyPluginAsync =>
  async (app) => {
    setCacheControl(app, 'no-store');
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const refuseOthers = refuseOtherMethods(app);
    for (const kind of channelKinds)
      app.route({
        method: 'POST',
        url: platformOf(kind).webhookPath,
        bodyLimit: channelLimits.bodyBytes,
        onRequest: (request, reply) => limits.session.check(request, reply),
        handler: async (request, reply) => {
          const body = Buffer.isBuffer(request.body) ? request.body : Buffer.of();
          try {
            await channels.receive(kind, { headers: request.headers, query: queryOf(request.url), body });
          } catch (error) {
            if (hasCode(error, 'UNAUTHORIZED')) await limits.session.count(request, reply);
            throw error;
          }
          // As the specification has it for this one.
          return kind === 'gmail' ? reply.code(204).send() : reply.send({});
        },
      });
    refuseOthers();
  };
