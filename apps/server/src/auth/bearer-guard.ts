import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { bearerOf, type Limits } from '../http/index.ts';
import { viaOf, type Access, type AccessControl } from './access.ts';

interface Needs {
  access: AccessControl;
  limits: Limits;
  /** The address of this door, where clients' tokens are made for it; others are not taken. */
  resource?(): string;
  /** What `WWW-Authenticate` says beside `Bearer` and its error, such as where a client reads how to get a token. */
  challenge?(): string;
}

/** The same for a client that has fetched another token. */
const nameOf = (access: Access): string => `${access.kind} ${viaOf(access).id} ${access.userId}`;

/**
 * Who comes with an access token: the one way into every door that takes them. Throws `unauthorized`, with a challenge,
 * without a token that holds; `tooManyRequests` for a token that was used too often in this minute, or that has too many
 * requests open. The request is cut when its token is revoked or has run out.
 */
export const createBearerGuard =
  ({ access, limits, resource, challenge }: Needs) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<Access> => {
    const bearer = bearerOf(request);
    const granted = bearer === null ? null : await access.verify(bearer, request.ip);
    if (granted && (granted.resource === undefined || granted.resource === resource?.())) {
      const name = nameOf(granted);
      await limits.bearer.count(request, reply, name);
      reply.raw.once('close', limits.exchanges.take(name));
      // From here on, so that a body which is slow to come does not outlive its token.
      reply.raw.once(
        'close',
        access.onRevoked(granted, () => reply.raw.destroy()),
      );
      return granted;
    }
    if (request.headers.authorization !== undefined) await limits.session.count(request, reply);
    const said = [bearer === null ? [] : 'error="invalid_token"', challenge?.() ?? []].flat().join(', ');
    reply.header('www-authenticate', said === '' ? 'Bearer' : `Bearer ${said}`);
    throw errors.unauthorized({
      message: 'An access token is needed',
      fix: 'Make one in the panel, under Tokens.',
    });
  };
