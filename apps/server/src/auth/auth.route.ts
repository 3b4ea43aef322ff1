import { passwordLimits } from '@drawbridge/contracts/accounts';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errors } from '../errors.ts';
import { credentialsOf, type Limits } from '../http/index.ts';
import { userOf, type Auth } from './better-auth.ts';
import { answerAs, forward, jsonBody } from './forward.ts';
import type { SessionProofs } from './sessions/session-proof.ts';
import type { Session } from './sessions/session.ts';

const password = z.string().min(1).max(passwordLimits.maxLength);
/** Better-auth takes more, such as places to send a browser to. */
const signIn = z.object({ email: z.email().max(254), password, rememberMe: z.boolean().optional() });
const passwordChange = z.object({
  currentPassword: password,
  newPassword: password.min(passwordLimits.minLength),
  /** By default all other sessions end: somebody else may know the old password. */
  revokeOtherSessions: z.boolean().default(true),
});

interface Needs {
  auth: Auth;
  limits: Limits;
  url(): string;
  /** After a request that may have ended sessions. */
  checkSessions(): Promise<void>;
  proofs: SessionProofs;
  /** The session of the request, or null. */
  sessionOf(request: FastifyRequest): Promise<Session | null>;
  /** Ends what a user has given out beside sessions: tokens, clients, machines. */
  endGrants(userId: string): Promise<void>;
}

/** What better-auth answers to a sign-in. */
const signedInReply = z.object({
  token: z.string(),
  user: z.object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    ownerSlot: z.string().nullish(),
  }),
});
/** The new session's token, where the old one has ended. */
const changedReply = z.object({ token: z.string().nullable() });

/** Better-auth's own endpoints, below `/api/auth`: those the panel uses, and no other. */
export const createAuthRoutes = (needs: Needs): FastifyPluginAsync => {
  const { auth, limits, url, proofs, checkSessions } = needs;
  const pass = (request: FastifyRequest, body: object) =>
    forward(auth, request, { to: new URL(request.url, url()), body: jsonBody(body) });

  /** Better-auth's cookies, with a body of our own. */
  const answerWith = (reply: FastifyReply, { headers }: Response, body: object) =>
    reply.header('cache-control', 'no-store').header('set-cookie', headers.getSetCookie()).send(body);

  const signedInSession = async (request: FastifyRequest): Promise<Session> => {
    const session = await needs.sessionOf(request);
    if (session === null) throw errors.unauthorized();
    return session;
  };

  return async (app) => {
    app.post('/sign-in/email', async (request, reply) => {
      await limits.signIn.count(request, reply);
      await limits.account.check(request, reply);
      const given = signIn.parse(request.body);
      const response = await pass(request, given);
      // docs/day-two.md names these two lines for programs that read the log, such as fail2ban.
      const who = { account: given.email, address: request.ip };
      const line = `for ${given.email} from ${request.ip}`;
      if (!response.ok) request.log.warn({ ...who, status: response.status }, `sign-in failed ${line}`);
      if (response.status === 401) await limits.account.count(request, reply);
      if (!response.ok) return answerAs(reply, response);
      const { token, user } = signedInReply.parse(await response.json());
      request.log.info(who, `signed in ${line}`);
      return answerWith(reply, response, { ...userOf(user), sessionProof: proofs.of(token) });
    });
    app.post('/sign-out', async (request, reply) => {
      await signedInSession(request);
      const response = await pass(request, {});
      await checkSessions();
      return answerAs(reply, response);
    });
    app.post('/change-password', async (request, reply) => {
      await limits.signIn.count(request, reply);
      const change = passwordChange.parse(request.body);
      const session = await signedInSession(request);
      await limits.password.count(reply, session.user.id);
      const response = await pass(request, change);
      if (!response.ok) return answerAs(reply, response);
      if (change.revokeOtherSessions) {
        await needs.endGrants(session.user.id);
        // Last, as it cuts the streams of the panel that asks: its new cookie comes at once.
        await checkSessions();
      }
      const { token } = changedReply.parse(await response.json());
      return answerWith(reply, response, {
        sessionProof: token === null ? credentialsOf(request).proof : proofs.of(token),
      });
    });
  };
};
