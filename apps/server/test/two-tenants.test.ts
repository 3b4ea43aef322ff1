import { expect, it } from 'vitest';
import { appRouter } from '../src/doors/trpc/app.router.ts';
import { differences, expectKnownToAnn, expectUntouched, statuses, type WithId } from './foreign-ids.ts';
import { channelRows, stopRule } from './channel-rows.ts';
import { machineRows } from './machine-rows.ts';
import type { Sent } from './server.ts';
import { procedure, procedureWithId } from './procedures.ts';
import { createTenants } from './tenants.ts';
import { isOfAgent } from './agent-ids.ts';

/** Many requests, on machines that run many tests at once. */
const limitMs = 120_000;

const changed = { name: 'x', scopes: ['shell'] };
const everAndAfter = { from: '2026-01-01T00:00:00Z', to: '2126-01-01T00:00:00Z' };

const onDevice = (name: string): Record<string, WithId> => ({
  [name]: procedureWithId(name, undefined, (endpoint) => ({ endpoint, answers: 'once' })),
});

const procedures: Record<string, WithId> = {
  'calls.get': procedureWithId('calls.get', 'call that ended', (requestId) => ({ requestId })),
  'calls.around': procedureWithId('calls.around', 'call that ended', (requestId) => ({ requestId })),
  'calls.list': procedureWithId('calls.list', 'machine', (machine) => ({ machine })),
  'calls.histogram': procedureWithId('calls.histogram', 'token', (id) => ({
    by: `token:${id}`,
    ...everAndAfter,
  })),
  'calls.questions': procedureWithId('calls.questions', 'call that ended', (requestId) => ({ requestId })),
  'confirmations.get': procedureWithId('confirmations.get', 'confirmation', (id) => ({ confirmationId: id })),
  'confirmations.decide': procedureWithId('confirmations.decide', 'confirmation', (confirmationId) => ({
    confirmationId,
    approved: true,
    resourceDecision: 'allowOnce',
  })),
  'calls.cancel': procedureWithId('calls.cancel', 'open call', (requestId) => ({ requestId })),
  'account.endSession': procedureWithId('account.endSession', undefined, (id) => ({ id })),
  'invitations.revoke': procedureWithId('invitations.revoke', undefined, (id) => ({ id })),
  'people.disable': procedureWithId('people.disable', undefined, (id) => ({ id })),
  'people.enable': procedureWithId('people.enable', undefined, (id) => ({ id })),
  'people.remove': procedureWithId('people.remove', undefined, (id) => ({ id })),
  'clients.revoke': procedureWithId('clients.revoke', undefined, (id) => ({ id })),
  'clients.request': procedureWithId('clients.request', undefined, (id) => ({ query: `client_id=${id}` })),
  'tokens.update': procedureWithId('tokens.update', undefined, (id) => ({ id, ...changed })),
  'tokens.revoke': procedureWithId('tokens.revoke', undefined, (id) => ({ id })),
  ...onDevice('notifications.device'),
  ...onDevice('notifications.changeDevice'),
  ...onDevice('notifications.testDevice'),
  'hooks.remove': procedureWithId('hooks.remove', undefined, (id) => ({ id })),
  'rules.remove': procedureWithId('rules.remove', undefined, (ruleId) => ({ ruleId })),
  ...channelRows,
  ...machineRows,
};
/** Rows that do not answer an unknown id with "Not found": what they answer before they look for it. */
const otherAnswers: Record<string, number> = {
  'calls.list': 200,
  'calls.histogram': 200,
  // Only for the owner of the server.
  'invitations.revoke': 403,
  'people.disable': 403,
  'people.enable': 403,
  'people.remove': 403,
  // The machine of the tests has none.
  'rules.remove': 501,
};
/** Every other, with an input that it takes: it serves the session's own user, whatever it is given. */
const proceduresWithoutId: Record<string, unknown> = {
  'account.me': undefined,
  'account.sessions': undefined,
  'account.resetPassword': undefined,
  'calls.run': { name: 'no_such_tool', arguments: {} },
  'clients.list': undefined,
  'confirmations.list': undefined,
  'confirmations.changes': { known: [] },
  'gateway.createLink': undefined,
  'gateway.status': undefined,
  'gateway.tools': undefined,
  'invitations.create': undefined,
  'invitations.list': undefined,
  'invitations.accept': undefined,
  'notifications.change': { when: 'always' },
  'notifications.answer': { endpoint: 'https://push.example/x', token: 'x', answer: 'allow' },
  'notifications.configure': { mostAnswers: 'off' },
  'notifications.setWebhook': { url: 'https://hooks.example.org/' },
  'channels.configure': { kind: 'telegram', isOn: false },
  'channels.connect': { kind: 'gmail' },
  'channels.test': { kind: 'telegram' },
  'channels.codes.list': undefined,
  'channels.codes.create': { kind: 'telegram' },
  'channels.rules.add': stopRule,
  'hooks.create': { name: 'hook' },
  'rules.add': { effect: 'deny', toolGroup: 'shell', resource: 'ls' },
  'calls.recapFiles': everAndAfter,
  'calls.recapSeen': { to: '2020-01-01T00:00:00.000Z' },
  'settings.get': undefined,
  'settings.update': {},
  'tokens.create': { name: 'Desk' },
  'voice.understand': { data: 'T2dnUw==' },
  'voice.speak': { text: 'Hello.' },
  ...Object.fromEntries(
    [
      ...['setup.status', 'setup.createOwner', 'voice.status', 'machines.list', 'channels.rules.list'],
      ...['hooks.list', 'people.list', 'tokens.list', 'calls.recap', 'calls.repeated'],
      ...['notifications.get', 'notifications.removeWebhook', 'notifications.testWebhook'],
      ...['channels.list', 'channels.senders.list', 'channels.groups.list'],
      ...['gateway.disconnect', 'gateway.machine', 'gateway.machines', 'machines.forgotten'],
    ].map((name) => [name, undefined]),
  ),
  'machines.numbers': { since: '2026-01-01T00:00:00.000Z' },
  'machines.stopEverything': undefined,
};
/** What it tells is listened to in `e2e/isolation.test.ts`. */
const subscriptions = ['live.onEvent', 'machines.onChanged'];

const mounts = ['/api/v1/instance-ai', '/rest/instance-ai'];

const onMounts = (path: string, { own, body }: { own?: string; body: unknown }) =>
  Object.fromEntries(
    mounts.map((mount): [string, WithId] => [
      `POST ${mount}${path}:requestId`,
      {
        ...(own !== undefined && { own }),
        ask: (id) => ({ path: `${mount}${path}${id}`, method: 'POST', body }),
      },
    ]),
  );

/** The methods that carry a body here. */
const bodies = new Set(['POST', 'PUT', 'PATCH', 'QUERY']);
const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const mcpHeaders = { accept: 'application/json, text/event-stream' };

/** Refused methods too: who comes, and for which machine, is asked first. */
const ofMachine = Object.fromEntries(
  ['GET', 'POST', 'DELETE', 'OPTIONS', 'PATCH', 'PUT', 'QUERY', 'TRACE'].map((method): [string, WithId] => [
    `${method} /mcp/:machineId`,
    {
      ...(method === 'POST' && { own: 'machine' }),
      ask: (id) => ({
        path: `/mcp/${id}`,
        method,
        headers: mcpHeaders,
        ...(bodies.has(method) && { body: rpc }),
      }),
    },
  ]),
);

const routes: Record<string, WithId> = {
  'POST /webhooks/:name': { ask: (id) => ({ path: `/webhooks/${id}`, method: 'POST', body: {} }) },
  ...ofMachine,
  'GET /.well-known/oauth-protected-resource/mcp/:machineId': {
    ask: (id) => ({ path: `/.well-known/oauth-protected-resource/mcp/${id}` }),
  },
  ...onMounts('/gateway/response/', { body: { result: { content: [{ type: 'text', text: 'forged' }] } } }),
  ...Object.fromEntries(
    mounts.map((mount): [string, WithId] => [
      `POST ${mount}/gateway/responses`,
      {
        ask: (requestId) => ({
          path: `${mount}/gateway/responses`,
          method: 'POST',
          body: { responses: [{ requestId, result: { content: [{ type: 'text', text: 'forged' }] } }] },
        }),
      },
    ]),
  ),
  ...Object.fromEntries(
    mounts.map((mount): [string, WithId] => [
      `POST ${mount}/gateway/settled`,
      {
        ask: (requestId) => ({
          path: `${mount}/gateway/settled`,
          method: 'POST',
          body: { questions: [{ requestId, askId: 'forged', outcome: 'allowed' }] },
        }),
      },
    ]),
  ),
  ...onMounts('/gateway/progress/', { body: { message: 'forged' } }),
  ...onMounts('/gateway/rules/', { body: { rules: [], total: 0, remoteRules: true } }),
  ...onMounts('/gateway/processes/', { body: { processes: [] } }),
  ...onMounts('/gateway/runtimes/', { body: { runtimes: [] } }),
  ...onMounts('/confirm/', { own: 'open call', body: { approved: true, resourceDecision: 'allowOnce' } }),
  'GET /api/v1/calls': { own: 'machine', ask: (id) => ({ path: `/api/v1/calls?machine=${id}` }) },
  'GET /trpc/export/calls': {
    own: 'machine',
    ask: (id) => ({ path: `/trpc/export/calls?format=json&machine=${id}` }),
  },
  // A machine of the query or the body; the token of Ann's that is tried has one machine too.
  ...Object.fromEntries(
    ['status', 'tools', 'events'].map((path): [string, WithId] => [
      `GET /api/v1/${path}`,
      { ask: (machine) => ({ path: `/api/v1/${path}?machine=${machine}` }) },
    ]),
  ),
  'POST /api/v1/calls': {
    ask: (machine) => ({ path: '/api/v1/calls', method: 'POST', body: { name: 'read_file', machine } }),
  },
  'GET /api/v1/calls/:requestId': {
    own: 'call of the token',
    ask: (id) => ({ path: `/api/v1/calls/${id}` }),
  },
  'POST /api/v1/calls/:requestId/cancel': {
    ask: (id) => ({ path: `/api/v1/calls/${id}/cancel`, method: 'POST' }),
  },
};
/** All other routes: they authenticate the caller and take no id of a person. */
const routesWithoutId = [
  'GET /health',
  'GET /ready',
  'GET /api/health',
  'POST /gmail/push',
  'GET /channels/gmail/callback',
  'POST /teams/events',
  'POST /google-chat/events',
  'POST /bluebubbles/events',
  'POST /telegram/events',
  'GET /daemon.tgz',
  'GET /daemon.json',
  'GET /:file(^daemon-[^/]+\\.tgz$)',
  'POST /api/auth/sign-in/email',
  'POST /api/auth/sign-out',
  'POST /api/auth/change-password',
  // A client's own requests, and the person's consent, which the library signs.
  'GET /api/auth/oauth2/authorize',
  'POST /api/auth/oauth2/consent',
  'POST /api/auth/oauth2/register',
  'POST /api/auth/oauth2/revoke',
  'POST /api/auth/oauth2/token',
  'GET /.well-known/oauth-authorization-server/api/auth',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/mcp',
  // The procedures, which have a table of their own.
  'GET /mcp',
  'POST /mcp',
  'GET /trpc/:path',
  'POST /trpc/:path',
  'POST /trpc/agent.send',
  'POST /trpc/voice.understand',
  // The session's own devices, by their addresses at push services.
  'GET /webchat/push/public-key',
  'GET /webchat/push/subscriptions',
  'POST /webchat/push/subscriptions',
  'DELETE /webchat/push/subscriptions',
  'GET /api/v1/openapi.json',
  'GET /api/v1/machines',
  // The methods of the socket have a table of their own, jsonrpc/tenants.test.ts.
  'GET /rpc',
  'POST /rpc/ticket',
  'GET /api/v1/instance-ai/gateway/socket',
  ...mounts.flatMap((mount) => [
    `POST ${mount}/gateway/init`,
    `POST ${mount}/gateway/tools`,
    `GET ${mount}/gateway/events`,
    `POST ${mount}/gateway/probe`,
    `POST ${mount}/gateway/disconnect`,
    `POST ${mount}/gateway/create-link`,
    `GET ${mount}/gateway/status`,
  ]),
];

const refusedWith = (method: string): Sent => ({ method, ...(bodies.has(method) && { body: {} }) });

it(
  'US-05 every procedure answers an id of another user as an unknown one',
  async () => {
    const world = await createTenants();
    const { server, ben, ids } = world;
    expect(
      [...Object.keys(procedures), ...Object.keys(proceduresWithoutId), ...subscriptions].toSorted(),
    ).toEqual(
      Object.keys(appRouter._def.procedures)
        .filter((name) => !name.startsWith('agent.'))
        .toSorted(),
    );
    expect(await differences(world, procedures)).toEqual([]);
    expect(await statuses(world, procedures)).toEqual(
      Object.fromEntries(Object.keys(procedures).map((name) => [name, otherAnswers[name] ?? 404])),
    );
    for (const [name, input] of Object.entries(proceduresWithoutId)) {
      const { path, ...sent } = procedure(name, input);
      const { text } = await server.send(path, { ...sent, headers: { cookie: ben.cookie } });
      for (const id of Object.values(ids)) expect(text, name).not.toContain(id);
    }
    await expectUntouched(world);
    await expectKnownToAnn(world, procedures);
  },
  limitMs,
);

it(
  'US-05 every HTTP route answers an id of another user as an unknown one',
  async () => {
    const world = await createTenants();
    const { server, proofs } = world;
    const listed = new Set([...Object.keys(routes), ...routesWithoutId]);
    // The panel's own files are served where it has been built.
    const served = server.app.routes().filter(({ url }) => url !== '/*' && !isOfAgent(url));
    const methodsRefused = await Promise.all(
      served
        .filter(({ method, url }) => !listed.has(`${method} ${url}`))
        .map(async ({ method, url }) => [
          `${method} ${url}`,
          (await server.send(url, { ...refusedWith(method), headers: { ...proofs.token } })).status,
        ]),
    );
    // A route without a line is one that refuses its method.
    expect(methodsRefused.filter(([, status]) => status !== 405)).toEqual([]);
    const names = new Set(served.map(({ method, url }) => `${method} ${url}`));
    expect([...listed].filter((name) => !names.has(name))).toEqual([]);

    expect(await differences(world, routes)).toEqual([]);
    await expectUntouched(world);
    await expectKnownToAnn(world, routes);
  },
  limitMs,
);
