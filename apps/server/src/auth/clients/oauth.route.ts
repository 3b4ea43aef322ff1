import { clientLimits, consentBody, consentReply, offlineScope } from '@drawbridge/contracts/clients';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { errors } from '../../errors.ts';
import type { Limits } from '../../http/index.ts';
import type { Auth } from '../better-auth.ts';
import { answerAs, forward, jsonBody, requireWorked } from '../forward.ts';
import type { SessionProofs } from '../sessions/session-proof.ts';
import type { Session } from '../sessions/session.ts';
import type { SingleUse } from '../tickets/tickets.ts';
import { readRegistration } from './client-registration.ts';
import { consentPage, resourceOf } from './oauth-provider.ts';
import { hasWildcard } from './redirects.ts';
import type { Refreshes } from './refreshes.ts';

interface Needs {
  auth: Auth;
  refreshes: Pick<Refreshes, 'run'>;
  limits: Limits;
  url(): string;
  proofs: Pick<SessionProofs, 'provesPage'>;
  pages: SingleUse;
  /** Refuses what another site sends with a person's cookie. */
  guardOrigin(request: FastifyRequest): Promise<void>;
  /** Whether the `Host` of a request names this server. */
  ownsHost(host: string): boolean;
  /** Gives a client that has registered itself the addresses that its answers may go to. */
  setRedirects(clientId: string, redirectUris: string[]): Promise<void>;
  /** Throws `notFound` for a machine that is not the user's. */
  requireMachines(userId: string, machineIds: readonly string[]): Promise<void>;
  /** The machines that the user lets a client use; null for all. */
  setMachines(
    consent: { userId: string; clientId: string },
    machines: readonly string[] | null,
  ): Promise<void>;
  /** The session of the request, or null. */
  sessionOf(request: FastifyRequest): Promise<Session | null>;
  /** Called after a client has registered itself; limits the number of unconnected clients. */
  onRegistered(): Promise<void>;
}

const form = 'application/x-www-form-urlencoded';
/** What an authorization request may say. All else is dropped: nothing of it is kept or passed on. */
const askable = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
] as const;
/** The SHA-256 of a verifier (RFC 7636, 4.2). The account library refuses a request without one. */
const isChallenge = (given: string | null): boolean => given === null || /^[\w-]{43}$/.test(given);
/** What an authorization request lacks, as the panel's page knows it. */
const lackOf = (given: URLSearchParams): string | undefined => {
  if (!given.get('state')) return 'state_missing';
  if (!isChallenge(given.get('code_challenge'))) return 'challenge_malformed';
  return hasWildcard(given.get('redirect_uri') ?? '') ? 'invalid_redirect' : undefined;
};
const refusal = z.object({ error: z.string().regex(/^[a-z_]{1,40}$/) });
const registered = z.looseObject({ client_id: z.string() });
const redirected = z.object({ url: z.string() });

const outdated = { message: 'This request is not valid any more', fix: 'Start again in the client.' };

/** The parameters of a form or a query; throws `badRequest` for one that is given twice. */
const paramsOf = (text: string): URLSearchParams => {
  const params = new URLSearchParams(text);
  for (const name of new Set(params.keys())) {
    if (params.getAll(name).length > 1) throw errors.badRequest({ message: `Give ${name} once` });
  }
  return params;
};

const addressOf = (url: string, name: string) => new URL(`/api/auth/oauth2/${name}`, url);

/** The answer of a consent page, which the account library turns into the address to go to. */
const createConsent = (needs: Needs) => async (request: FastifyRequest, reply: FastifyReply) => {
  const { auth, proofs, pages, url } = needs;
  const session = await needs.sessionOf(request);
  if (session === null) throw errors.unauthorized();
  const given = consentBody.parse(request.body);
  if (given.accept && !proofs.provesPage({ key: session.key, query: given.query }, given.openedBy))
    throw errors.forbidden({
      message: 'Another session opened this page',
      fix: 'Reload the page: it names the account that would be connected.',
    });
  const machines = (given.accept && given.machines) || null;
  if (machines) await needs.requireMachines(session.user.id, machines);
  const asked = new URLSearchParams(given.query);
  const staysConnected = asked.get('scope')?.split(' ').includes(offlineScope);
  const scopes = given.accept ? [...given.scopes, ...(staysConnected ? [offlineScope] : [])] : [];
  const body = jsonBody({
    accept: given.accept,
    oauth_query: given.query,
    ...(given.accept ? { scope: scopes.join(' ') } : {}),
  });
  const page = `consent of ${session.user.id} ${given.query}`;
  if (!(await pages.use(page, clientLimits.consentSeconds * 1_000))) throw errors.badRequest(outdated);
  const response = await forward(auth, request, { to: addressOf(url(), 'consent'), body });
  if (!response.ok) await pages.giveBack(page);
  requireWorked(response);
  if (response.status === 401) throw errors.unauthorized();
  if (!response.ok) throw errors.badRequest(outdated);
  // The client gets its code with this answer, so nothing uses the consent before its machines are stored.
  if (given.accept)
    await needs.setMachines({ userId: session.user.id, clientId: asked.get('client_id') ?? '' }, machines);
  reply.header('cache-control', 'no-store');
  return consentReply.parse(redirected.parse(await response.json()));
};

/** OAuth 2.1 below `/api/auth/oauth2`: only the endpoints of better-auth that MCP clients need. */
export const createOauthRoutes = (needs: Needs): FastifyPluginAsync => {
  const { auth, refreshes, limits, url, guardOrigin, ownsHost } = needs;
  const address = (name: string) => addressOf(url(), name);

  /** A person's browser comes here from the client's own site. */
  const authorize = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!ownsHost(request.headers.host ?? '')) throw errors.foreignOrigin();
    await limits.oauth.count(request, reply);
    const given = paramsOf(new URL(request.url, url()).search);
    const asked = address('authorize');
    for (const name of askable) {
      const value = given.get(name);
      if (value !== null) asked.searchParams.set(name, value);
    }
    asked.searchParams.set('resource', given.get('resource') ?? resourceOf(url()));
    // The user decides each time: a client id can belong to another program than at the earlier consent.
    asked.searchParams.set('prompt', 'consent');
    const fail = (error: string) => reply.redirect(`${consentPage}?error=${error}`);
    const lack = lackOf(given);
    if (lack !== undefined) return fail(lack);
    const response = await forward(auth, request, { to: asked });
    // A client that is a document has made itself known just now.
    await needs.onRegistered();
    // A person looks at this: what it says as JSON the panel says in words.
    if (response.status < 400 || response.status >= 500) return answerAs(reply, response);
    return fail(refusal.safeParse(await response.json()).data?.error ?? 'invalid_request');
  };

  return async (app) => {
    app.addContentTypeParser(form, { parseAs: 'string' }, (_request, body, done) => done(null, body));
    const bodyLimit = clientLimits.registrationBodyBytes;
    const formOf = (request: FastifyRequest) =>
      paramsOf(z.string({ error: `Send ${form}` }).parse(request.body));

    app.get('/authorize', authorize);
    app.post('/consent', { bodyLimit, onRequest: guardOrigin }, createConsent(needs));
    for (const name of ['token', 'revoke'] as const) {
      app.post(`/${name}`, { bodyLimit, onRequest: guardOrigin }, async (request, reply) => {
        await limits.oauth.count(request, reply);
        const params = formOf(request);
        const body = { type: form, text: params.toString() };
        const pass = () => forward(auth, request, { to: address(name), body });
        const presented = name === 'token' ? params.get('refresh_token') : null;
        return answerAs(reply, await (presented === null ? pass() : refreshes.run(presented, pass)));
      });
    }
    app.post('/register', { bodyLimit, onRequest: guardOrigin }, async (request, reply) => {
      await limits.registration.count(request, reply);
      const { asked, redirectUris } = readRegistration(request.body);
      const response = await forward(auth, request, { to: address('register'), body: jsonBody(asked) });
      if (!response.ok) return answerAs(reply, response);
      const client = registered.parse(await response.json());
      await needs.setRedirects(client.client_id, redirectUris);
      await needs.onRegistered();
      return reply
        .code(response.status)
        .header('cache-control', 'no-store')
        .send({ ...client, redirect_uris: redirectUris });
    });
  };
};
