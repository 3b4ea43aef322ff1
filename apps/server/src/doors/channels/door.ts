import { channelKinds, platformOf, type ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { channelLimits, consentQuery } from '@drawbridge/contracts/outside/channels';
import { hasCode } from '@drawbridge/kit';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Channels } from '../../channels/index.ts';
import { errors } from '../../errors.ts';
import { refuseOtherMethods, setCacheControl, type Limits } from '../../http/index.ts';

const queryOf = (url: string) => new URL(url, 'http://localhost').searchParams;

interface Needs {
  channels: Pick<Channels, 'receive' | 'consent'>;
  limits: Limits;
  /** Whether the `Host` of a request names this server. */
  ownsHost(host: string): boolean;
}

/** Where the panel says how a page of consent ended. */
const pageOfChannels = '/settings/channels';

/** The owner's browser comes back from a page of consent. Nothing of its address is passed on. */
const createConsentEnd =
  ({ channels, limits, ownsHost }: Needs, kind: ChannelKind) =>
  async (request: FastifyRequest, reply: FastifyReply) => {
    if (!ownsHost(request.headers.host ?? '')) throw errors.foreignOrigin();
    const query = queryOf(request.url);
    const outcome = await channels.consent.end(kind, {
      cookie: request.headers.cookie,
      state: query.get('state') ?? '',
      code: query.get('code'),
      error: query.get('error'),
    });
    if (outcome === 'expired') await limits.session.count(request, reply);
    return reply.redirect(`${pageOfChannels}?${consentQuery}=${outcome}`, 303);
  };

/** Where chat platforms post what people write, each with a secret of the bot, and send the owner back to. */
export const createChannelsDoor =
  (needs: Needs): FastifyPluginAsync =>
  async (app) => {
    const { channels, limits } = needs;
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
    for (const kind of channelKinds) {
      const { consent } = platformOf(kind);
      if (consent === null) continue;
      const onRequest = (request: FastifyRequest, reply: FastifyReply) =>
        limits.session.check(request, reply);
      app.get(consent.path, { onRequest }, createConsentEnd(needs, kind));
    }
    refuseOthers();
  };
