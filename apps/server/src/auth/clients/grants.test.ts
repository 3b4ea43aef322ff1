import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { newVerifier, openOauth, publicUrl } from '../../../test/oauth.ts';
import { createPanel } from '../../../test/panel.ts';
import { invited } from '../../../test/tenants.ts';
import { itOnSqlite, openTestStore } from '../../../test/store-place.ts';

const base = '/api/auth/oauth2';
const past = '2020-01-01T00:00:00.000Z';

/** What may be wrong with a token or what belongs to it, as changes of the store; the last is for all. */
const wrong: [string, (client: string) => string, number][] = [
  ['nothing', () => 'select 1', 200],
  [
    'it has expired',
    (id) => `update oauthAccessToken set expiresAt = '${past}' where clientId = '${id}'`,
    401,
  ],
  ['it was revoked', (id) => `update oauthAccessToken set revoked = '${past}' where clientId = '${id}'`, 401],
  [
    'it is bound to a key',
    (id) => `update oauthAccessToken set confirmation = '{"jkt":"x"}' where clientId = '${id}'`,
    401,
  ],
  [
    'it is for another resource',
    (id) => `update oauthAccessToken set resources = '["${publicUrl}/other"]' where clientId = '${id}'`,
    401,
  ],
  [
    'the user allows none of its groups any more',
    (id) => `update oauthConsent set scopes = '["shell","offline_access"]' where clientId = '${id}'`,
    401,
  ],
  ['its client is disabled', (id) => `update oauthClient set disabled = 1 where clientId = '${id}'`, 401],
  ['its consent is gone', (id) => `delete from oauthConsent where clientId = '${id}'`, 401],
  ['its account is disabled', () => 'update user set disabledAt = 1', 401],
];

itOnSqlite('MC-04 MC-16 a token is refused where something of it is wrong', async () => {
  const { server, connect, use } = await openOauth();
  const { db, close } = await openTestStore(server.dataDir);
  onTestFinished(close);
  for (const [what, change, status] of wrong) {
    const { id, tokens } = await connect(['filesystemRead']);
    await sql.raw(change(id)).execute(db);
    expect([what, await use(tokens.access_token)]).toEqual([what, status]);
  }
});

it('MC-16 a client that names no resource gets a token for the MCP door', async () => {
  const { clientId, allow, redeem, tokensOf, use } = await openOauth();
  const id = await clientId();
  const { verifier, challenge } = newVerifier();
  const to = await allow(id, ['filesystemRead'], { challenge, resource: undefined });
  const code = to.searchParams.get('code') ?? '';
  const got = await redeem(id, { code, verifier }, { resource: undefined });
  expect(await use(tokensOf(got).access_token)).toBe(200);
});

it('MC-16 a client that did not ask to stay connected gets no refresh token', async () => {
  const { connect, openPage, queryOf, authorize, clientId, consent } = await openOauth();
  const { tokens } = await connect(['filesystemRead'], { scope: 'filesystemRead' });
  expect([tokens.scope, tokens.refresh_token]).toEqual(['filesystemRead', undefined]);
  const asked = { challenge: newVerifier().challenge, scope: 'filesystemRead' };
  const query = queryOf(await authorize(await clientId(), asked));
  const { status, headers } = await consent({
    accept: true,
    scopes: ['filesystemRead'],
    query,
    openedBy: await openPage(query),
  });
  expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
});

it('MC-16 of an authorization request only what is known reaches the page', async () => {
  const { clientId, authorize, queryOf } = await openOauth();
  const id = await clientId();
  const more = {
    nonce: 'x',
    claims: '{}',
    request: 'x',
    request_uri: 'https://evil.example/request',
    response_mode: 'fragment',
    login_hint: 'x',
    max_age: '0',
    display: 'popup',
    dpop_jkt: 'x'.repeat(43),
    exp: '9999999999',
    sig: 'x',
  };
  const { challenge } = newVerifier();
  const namesIn = (query: string) => [...new URLSearchParams(query).keys()].sort();
  const plain = namesIn(queryOf(await authorize(id, { challenge })));
  for (const [name, value] of Object.entries(more)) {
    const query = queryOf(await authorize(id, { challenge, [name]: value }));
    expect([name, namesIn(query)]).toEqual([name, plain]);
    expect([name, new URLSearchParams(query).get(name) === value]).toEqual([name, false]);
  }
});

it('MC-16 a consent that one user refuses is still open for another', async () => {
  const { server, cookie, clientId, authorize, queryOf, consent, openPage } = await openOauth();
  const ben = await invited(server, createPanel(server, cookie));
  const query = queryOf(await authorize(await clientId(), { challenge: newVerifier().challenge }));
  expect((await consent({ accept: false, query }, { cookie: ben })).status).toBe(200);
  const yes = { accept: true, scopes: ['filesystemRead'], query, openedBy: await openPage(query) };
  expect((await consent(yes)).status).toBe(200);
});

it('MC-16 is not reached from another site, or under the name of another host', async () => {
  const { server, cookie, clientId, authorize, register } = await openOauth();
  const id = await clientId();
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
  ];
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const headers of foreign) {
    for (const path of ['token', 'revoke'])
      expect([
        path,
        (
          await server.send(`${base}/${path}`, {
            method: 'POST',
            headers: { cookie, ...form, ...headers },
            body: `client_id=${id}`,
          })
        ).status,
      ]).toEqual([path, 403]);
    const body = { client_name: 'Agent', redirect_uris: ['https://client.example/'] };
    expect((await server.send(`${base}/register`, { method: 'POST', headers, body })).status).toBe(403);
  }
  const { challenge } = newVerifier();
  expect((await authorize(id, { challenge }, { host: 'evil.example' })).status).toBe(403);
  expect((await register()).headers['cache-control']).toBe('no-store');
});

it('MC-16 requests for tokens and for consents are limited together', async () => {
  const { server, authorize } = await openOauth();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const ask = () => server.send(`${base}/token`, { method: 'POST', headers, body: 'x=1&x=2' });
  const page = () => authorize('unknown', { challenge: 'x', state: undefined });
  const statuses = new Set<number>();
  for (let n = 0; n < 300; n += 1) {
    for (const got of await Promise.all([ask(), page()])) statuses.add(got.status);
  }
  expect(statuses).toEqual(new Set([400, 302]));
  expect([(await ask()).status, (await page()).status]).toEqual([429, 429]);
});
