import type { CodedError } from '@drawbridge/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import { atClose, bearerOf, type Limits } from '../http/index.ts';
import type { Access, Refusal } from './access.ts';
import type { AccessControl } from './create-access.ts';

interface Needs {
  access: AccessControl;
  limits: Limits;
  /** The address of this door; a client's token for another address is refused. */
  resource?(): string;
  /** Parameters of `WWW-Authenticate` beside the error, such as the address of the resource's metadata. */
  challenge?(): string;
}

const missing = { message: 'An access token is needed', fix: 'Create one in the panel, under Agents.' };
const createNew = 'Create a new one in the panel, under Agents.';
const causes: Record<Refusal, { message: string; fix: string }> = {
  expired: { message: 'This access token has expired', fix: createNew },
  revoked: { message: 'This access token was revoked', fix: createNew },
  unknown: {
    message:
      'This access token is not valid: it was mistyped, is for another server, or was created after the backup that this server was restored from',
    fix: 'Copy it again, or create a new one in the panel, under Agents.',
  },
};

/** The same for a client that has fetched another token. */
const nameOf = (access: Access): string =>
  `${access.kind} ${access.kind === 'token' ? access.tokenId : access.clientId} ${access.userId}`;

/** `name`: what the uses of this access are counted by, whichever token of its client it comes with. */
export type Verified =
  | { kind: 'granted'; access: Access; name: string }
  | { kind: 'refused'; error: CodedError };

/** Verifies a bearer that came from an address, by whatever protocol. */
export const verifyBearer = async (
  { access, resource }: Pick<Needs, 'access' | 'resource'>,
  bearer: string | null,
  from: string,
): Promise<Verified> => {
  const granted = bearer === null ? null : await access.verify(bearer, from);
  if (granted && (granted.resource === undefined || granted.resource === resource?.()))
    return { kind: 'granted', access: granted, name: nameOf(granted) };
  const cause = bearer === null ? missing : causes[await access.whyRefused(bearer)];
  return { kind: 'refused', error: errors.unauthorized(cause) };
};

/**
 * Authenticates a request by its access token; cuts the request when the token is revoked or expires.
 * Throws `unauthorized` with a challenge, `tooManyRequests` for too many requests per minute or at once.
 */
export const createBearerGuard = (needs: Needs) => {
  const { access, limits, challenge } = needs;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<Access> => {
    const bearer = bearerOf(request);
    const verified = await verifyBearer(needs, bearer, request.ip);
    if (verified.kind === 'refused') {
      if (request.headers.authorization !== undefined) await limits.session.count(request, reply);
      const details = [bearer === null ? [] : 'error="invalid_token"', challenge?.() ?? []].flat().join(', ');
      reply.header('www-authenticate', details === '' ? 'Bearer' : `Bearer ${details}`);
      throw verified.error;
    }
    limits.bearer.count(reply, verified.name);
    atClose(reply, limits.exchanges.acquire(verified.name));
    limits.unread.admit(reply, verified.access.userId);
    // From here on, so that a body which is slow to come does not outlive its token.
    atClose(
      reply,
      access.onRevoked(verified.access, () => reply.raw.destroy()),
    );
    return verified.access;
  };
};
