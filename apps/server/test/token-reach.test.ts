import { Agent } from 'node:http';
import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { toolScopes } from '@drawbridge/contracts/groups';
import { expect, it } from 'vitest';
import { appRouter } from '../src/doors/trpc/app.router.ts';
import { codeOf } from './account.ts';
import { paired } from './paired.ts';
import { owner, sessionHeaders, type Sent, type TestServer } from './server.ts';
import { createTenants } from './tenants.ts';

/** What a program on another port of the host gets from the person's browser. */
const cookieAlone = 'US-20 the cookie of a session without its proof';
const kinds = ['an access token', "a client's token", cookieAlone] as const;
/** Each walks through every procedure and route, in every way. */
const walkTimeoutMs = 120_000;
const agent = new Agent({ keepAlive: true });
type Kind = (typeof kinds)[number];

/** Procedures that anybody may call; a token changes nothing of what they answer. */
const open = [
  'account.me',
  'account.resetPassword',
  'invitations.accept',
  'setup.createOwner',
  'setup.status',
];

interface Address {
  method: string;
  url: string;
}

const isReading = (method: string) => method === 'GET' || method === 'HEAD';

/** The agent's routes for an access token with `chat`. */
const isChat = ({ method, url }: Address) =>
  /^\/(api\/v1|rest)\/instance-ai\/(chat\/:threadId(\/(cancel|continue))?|events\/:threadId|threads)$/.test(
    url,
  ) ||
  (isReading(method) &&
    /^\/(api\/v1|rest)\/instance-ai\/threads\/:threadId(\/(messages|status|tool-calls\/:toolCallId))?$/.test(
      url,
    ));

/** The doors that take a bearer; what it may do there is tested beside them. */
const takes: Record<Kind, (address: Address) => boolean> = {
  'an access token': ({ method, url }) =>
    isChat({ method, url }) ||
    (isReading(method) && /^\/(api\/v1|rest)\/instance-ai\/gateway\/status$/.test(url)) ||
    url === '/api/health' ||
    (/^\/(mcp|api\/v1)(\/|$)/.test(url) && !url.startsWith('/api/v1/instance-ai/')),
  "a client's token": ({ method, url }) => isChat({ method, url }) || /^\/mcp(\/|$)/.test(url),
  [cookieAlone]: () => false,
};

/** Every way in which somebody may try to pass a token off as something else. */
const passedOff = (token: string, cookieName: string): Record<string, Record<string, string>> => ({
  bearer: { authorization: `Bearer ${token}` },
  'session cookie': { cookie: `${cookieName}=${token}` },
  'signed session cookie': { cookie: `${cookieName}=${token}.${token}` },
  'API key': { 'x-api-key': token },
  'gateway key': { [gatewayKeyHeader]: token },
});

/** The requests that a cookie allows without its proof. */
const withoutProof = (cookie: string, other: string): Record<string, Record<string, string>> => ({
  alone: { cookie, [sessionProofHeader]: '' },
  "with another session's proof": { ...sessionHeaders(other), cookie },
  'with itself as the proof': { cookie, [sessionProofHeader]: cookie.split('=')[1] ?? '' },
});

const bodies = new Set(['POST', 'PUT', 'PATCH', 'QUERY']);

/** An answer without what differs from one moment to the next. */
const told = async (server: TestServer, path: string, sent: Sent) => {
  const { status, headers, text } = await server.send(path, { ...sent, agent });
  return { status, cookies: headers['set-cookie'], text };
};

const isQuery = (name: string) => {
  const procedure: unknown = Object.entries(appRouter._def.procedures).find(([path]) => path === name)?.[1];
  if (typeof procedure !== 'function' || !('_def' in procedure)) return false;
  const { _def: def } = procedure;
  return typeof def === 'object' && def !== null && 'type' in def && def.type !== 'mutation';
};

const world = async (kind: Kind) => {
  const { server, ann, ben, clientToken } = await createTenants();
  const made = await ann.panel.tokens.create.mutate({ name: 'All', scopes: [...toolScopes] });
  const token = kind === 'an access token' ? made.token : clientToken;
  const seen = async () => ({
    questions: await ann.panel.confirmations.list.query(),
    tokens: (await ann.panel.tokens.list.query()).map(({ name }) => name),
    clients: (await ann.panel.clients.list.query()).map(({ id }) => id),
    settings: await ann.panel.settings.get.query(),
    invitations: await ann.panel.invitations.list.query(),
    calls: await ann.panel.calls.list.query({}),
    status: await ann.panel.gateway.status.query(),
  });
  const ways =
    kind === cookieAlone
      ? withoutProof(ann.cookie, ben.cookie)
      : passedOff(token, ann.cookie.split('=')[0] ?? '');
  return { server, token, ways, seen };
};

type World = Awaited<ReturnType<typeof world>>;

const expectRefusedByProcedures = async ({ server, ways }: World) => {
  for (const name of Object.keys(appRouter._def.procedures)) {
    const sent: Sent = { agent, ...(isQuery(name) ? { method: 'GET' } : { method: 'POST', body: {} }) };
    const anonymous = await server.send(`/trpc/${name}`, sent);
    if (!open.includes(name)) expect(anonymous.text, name).toContain('"UNAUTHORIZED"');
    for (const [way, headers] of Object.entries(ways)) {
      const got = await server.send(`/trpc/${name}`, { ...sent, headers });
      expect([name, way, got.status, got.text]).toEqual([name, way, anonymous.status, anonymous.text]);
    }
  }
};

/** What a refusal may say of a token, beside nothing: that it is missing, or that it is not valid here. */
const causes = [
  ['Not signed in', 'Sign in and try again.'],
  ['An access token is needed', 'Create one in the panel, under Agents.'],
  [
    'This access token is not valid: it was mistyped, is for another server, or was created after the backup that this server was restored from',
    'Copy it again, or create a new one in the panel, under Agents.',
  ],
] as const;

const withoutCause = <Answer extends { status: number; text: string }>(answer: Answer): Answer => ({
  ...answer,
  text: causes.reduce(
    (text, [message, fix]) => text.replace(message, '(message)').replace(fix, '(fix)'),
    answer.text,
  ),
});

const expectRefusedByRoutes = async ({ server, ways }: World, kind: Kind) => {
  const routes = server.app.routes().filter((address) => !takes[kind](address));
  expect(routes.length).toBeGreaterThan(20);
  for (const { method, url } of routes) {
    const path = url.replaceAll(/:\w+/g, 'unknown').replace('*', 'unknown');
    const sent: Sent = { method, ...(bodies.has(method) && { body: {} }) };
    const anonymous = withoutCause(await told(server, path, sent));
    const tries = Object.entries(ways).map(async ([way, headers]) => {
      const answer = withoutCause(await told(server, path, { ...sent, headers }));
      expect([method, url, way, answer]).toEqual([method, url, way, anonymous]);
    });
    await Promise.all(tries);
  }
};

const expectIgnoredInAddress = async ({ server, token }: World) => {
  for (const name of ['access_token', 'apiKey', 'token'])
    expect(codeOf(await server.send(`/trpc/tokens.list?${name}=${token}`))).toBe('UNAUTHORIZED');
};

it.each(kinds)(
  'MC-04 MC-10 %s is unauthenticated at every procedure, and at every HTTP route that does not take it',
  async (kind) => {
    const made = await world(kind);
    const before = await made.seen();
    await expectRefusedByProcedures(made);
    expect(await made.seen()).toEqual(before);
    await expectRefusedByRoutes(made, kind);
    await expectIgnoredInAddress(made);
    expect(await made.seen()).toEqual(before);
  },
  walkTimeoutMs,
);

it.each([
  ['PK-11 ends with the password', '/api/auth/change-password', { currentPassword: owner.password }, 401],
  ['holds where the change was refused', '/api/auth/change-password', { currentPassword: 'wrong' }, 200],
  ['holds when a session is signed out', '/api/auth/sign-out', {}, 200],
])('a token %s', async (_, path, body, status) => {
  const { server, cookie, panel } = await paired();
  const { token } = await panel.tokens.create.mutate({ name: 'Desk' });
  const asked = async () =>
    (await server.send('/api/v1/status', { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await asked()).toBe(200);
  await server.send(path, {
    method: 'POST',
    body: { ...body, newPassword: 'another long password' },
    headers: { cookie },
  });
  expect(await asked()).toBe(status);
});
