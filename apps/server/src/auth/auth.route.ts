import { passwordLimits } from '@drawbridge/contracts';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errors } from '../errors.ts';
import { requestHeaders, type Limits } from '../http/index.ts';
import type { Auth } from './better-auth.ts';

const password = z.string().min(1).max(passwordLimits.maxLength);
/** Better-auth takes more, such as places to send a browser to. */
const signIn = z.object({ email: z.email().max(254), password, rememberMe: z.boolean().optional() });
const passwordChange = z.object({
  currentPassword: password,
  newPassword: password.min(passwordLimits.minLength),
  /** Whoever may know the old password is out, unless the person says that it need not be. */
  revokeOtherSessions: z.boolean().default(true),
});

interface Needs {
  auth: Auth;
  limits: Limits;
  url(): string;
  /** After a request that may have ended sessions. */
  checkSessions(): Promise<void>;
  /** Whose session a `Cookie` header carries; null without one. */
  userOf(cookie: string | undefined): Promise<string | null>;
  /** Ends what a user has given out beside sessions: tokens, clients, machines. */
  endGrants(userId: string): Promise<void>;
}

/** Better-auth's own endpoints, below `/api/auth`: those the panel uses, and no other. */
export const createAuthRoutes = (needs: Needs): FastifyPluginAsync => {
  const { auth, limits, url, checkSessions } = needs;
  const pass = async (request: FastifyRequest, body?: unknown) => {
    const headers = requestHeaders(request);
    headers.delete('content-length');
    headers.set('content-type', 'application/json');
    return auth.handler(
      new Request(new URL(request.url, url()), {
        method: request.method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
  };

  const answer = async (reply: FastifyReply, response: Response) => {
    if (response.status >= 500) throw errors.internal();
    reply.header('cache-control', 'no-store');
    return reply.send(response);
  };

  return async (app) => {
    app.post('/sign-in/email', async (request, reply) => {
      await limits.signIn.count(request, reply);
      await limits.account.check(request, reply);
      const response = await pass(request, signIn.parse(request.body));
      if (response.status === 401) await limits.account.count(request, reply);
      return answer(reply, response);
    });
    app.post('/sign-out', async (request, reply) => {
      const response = await pass(request, {});
      await checkSessions();
      return answer(reply, response);
    });
    app.post('/change-password', async (request, reply) => {
      await limits.signIn.count(request, reply);
      const change = passwordChange.parse(request.body);
      const userId = await needs.userOf(request.headers.cookie);
      if (userId === null) throw errors.unauthorized();
      await limits.password.count(request, reply, userId);
      const response = await pass(request, change);
      if (response.ok && change.revokeOtherSessions) {
        await needs.endGrants(userId);
        // Last, as it cuts the streams of the panel that asks: its new cookie comes at once.
        await checkSessions();
      }
      return answer(reply, response);
    });
    app.get('/get-session', async (request, reply) => answer(reply, await pass(request)));
  };
};
