import { clientLimits } from '@drawbridge/contracts/clients';
import { describe, expect, it } from 'vitest';
import { initDaemon } from '../../../test/daemon.ts';
import { newVerifier, openOauth, publicUrl, redirect, type Changes } from '../../../test/oauth.ts';
import { createPanel } from '../../../test/panel.ts';
import { cookiesOf, owner, procedureResult } from '../../../test/server.ts';
import { invited } from '../../../test/tenants.ts';
import { openTestStore } from '../../../test/store-place.ts';

const allScopes = 'filesystemRead filesystemWrite shell computer browser mcp runtime system offline_access';

describe('the consent', () => {
  const asked = async () => {
    const opened = await openOauth();
    const id = await opened.clientId();
    const { challenge } = newVerifier();
    const query = opened.queryOf(await opened.authorize(id, { challenge }));
    return { ...opened, id, query };
  };

  it('shows who asks: the name, where the answer goes, and what for', async () => {
    const { server, cookie, query, id } = await asked();
    const input = encodeURIComponent(JSON.stringify({ query }));
    const got = await server.send(`/trpc/clients.request?input=${input}`, { headers: { cookie } });
    expect(procedureResult(got)).toEqual({
      clientId: id,
      name: 'Agent',
      host: 'client.example',
      origin: 'registration',
      goesTo: 'site',
      scopes: ['filesystemRead', 'filesystemWrite', 'shell'],
      staysConnected: true,
      account: owner.email,
      openedBy: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('MC-16 is good only for the session that opened the page, and for this page', async () => {
    const { server, cookie, consent, query, openPage, queryOf, authorize, id } = await asked();
    const openedBy = await openPage(query);
    const yes = { accept: true, scopes: ['filesystemRead'], query };
    const ben = await invited(server, createPanel(server, cookie));
    const again = cookiesOf(
      await server.send('/api/auth/sign-in/email', {
        method: 'POST',
        body: { email: owner.email, password: owner.password },
      }),
    );
    const other = queryOf(await authorize(id, { challenge: newVerifier().challenge }));
    const refused = [
      consent({ ...yes, openedBy }, { cookie: ben }),
      consent({ ...yes, openedBy }, { cookie: again }),
      consent({ ...yes, query: other, openedBy }),
      consent({ ...yes, openedBy: 'x'.repeat(43) }),
    ];
    expect((await Promise.all(refused)).map(({ status, json }) => [status, json])).toEqual(
      refused.map(() => [403, expect.objectContaining({ message: 'Another session opened this page' })]),
    );
    expect((await consent(yes)).status).toBe(400);
    expect((await consent({ ...yes, openedBy })).status).toBe(200);
  });

  it('NO-07: is given once: a page has one answer, also when two come at the same time', async () => {
    const { consent, query, openPage, authorize, queryOf, id } = await asked();
    const openedBy = await openPage(query);
    const yes = { accept: true, scopes: ['filesystemRead'], query, openedBy };
    // What came to nothing is no answer.
    expect((await consent({ ...yes, scopes: ['computer'] })).status).toBe(400);
    const both = await Promise.all([consent(yes), consent(yes)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const again = [consent(yes), consent({ accept: false, query }), consent({ ...yes, scopes: ['shell'] })];
    expect((await Promise.all(again)).map(({ status, json }) => [status, json])).toEqual(
      again.map(() => [400, expect.objectContaining({ message: 'This request is not valid any more' })]),
    );
    const other = queryOf(await authorize(id, { challenge: newVerifier().challenge }));
    expect((await consent({ accept: false, query: other })).status).toBe(200);
    expect((await consent({ ...yes, query: other, openedBy: await openPage(other) })).status).toBe(400);
  });

  it('NO-05 NO-08: is asked for no challenge that no verifier fits, and for no address with a *', async () => {
    const { authorize, id } = await asked();
    const challenges = [
      'abc',
      'a'.repeat(42),
      'a'.repeat(44),
      'a'.repeat(64),
      `${'a'.repeat(41)}+/`,
      `${'a'.repeat(43)}=`,
      '',
    ];
    for (const challenge of challenges) {
      const { location } = (await authorize(id, { challenge })).headers;
      expect([challenge, location]).toEqual([challenge, '/connect-client?error=challenge_malformed']);
    }
    const { challenge } = newVerifier();
    const got = await authorize(id, { challenge, redirect_uri: 'https://*.example/cb' });
    expect(got.headers.location).toBe('/connect-client?error=invalid_redirect');
  });

  it('cannot be had for an address that the client does not own', async () => {
    const { server, cookie, query } = await asked();
    const changed = new URLSearchParams(query);
    changed.set('redirect_uri', 'https://evil.example/');
    const input = encodeURIComponent(JSON.stringify({ query: changed.toString() }));
    const got = await server.send(`/trpc/clients.request?input=${input}`, { headers: { cookie } });
    expect(got.status).toBe(404);
  });

  it('MC-16 cannot be widened beyond what was asked, nor changed on its way', async () => {
    const { consent, query, openPage } = await asked();
    const openedBy = await openPage(query);
    expect((await consent({ accept: true, scopes: ['computer'], query, openedBy })).status).toBe(400);
    for (const [name, value] of [
      ['scope', allScopes],
      ['redirect_uri', 'https://evil.example/'],
      ['client_id', 'other'],
      ['code_challenge', 'x'.repeat(43)],
    ] as const) {
      const changed = new URLSearchParams(query);
      changed.set(name, value);
      const yes = { accept: true, scopes: ['filesystemRead'], query: changed.toString() };
      const page = await openPage(yes.query).catch(() => openedBy);
      const got = await consent({ ...yes, openedBy: page });
      expect([name, [400, 403].includes(got.status)]).toEqual([name, true]);
    }
    expect((await consent({ accept: true, scopes: [], query, openedBy })).status).toBe(400);
    expect((await consent({ accept: true, scopes: ['offline_access'], query, openedBy })).status).toBe(400);
  });

  it('MC-16 is given by the person in the panel: not from another site, not without a session', async () => {
    const { consent, query, cookie, openPage } = await asked();
    const yes = { accept: true, scopes: ['filesystemRead'], query, openedBy: await openPage(query) };
    expect((await consent(yes, { cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await consent(yes, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await consent(yes, {})).status).toBe(401);
  });

  it('MC-16 a no goes back to the client, and connects nothing', async () => {
    const { consent, query, server, cookie } = await asked();
    const got = await consent({ accept: false, query });
    const to = new URL((got.json as { url: string }).url);
    expect([to.origin, to.searchParams.get('error'), to.searchParams.get('state')]).toEqual([
      'https://client.example',
      'access_denied',
      'their-state',
    ]);
    expect(procedureResult(await server.send('/trpc/clients.list', { headers: { cookie } }))).toEqual([]);
  });

  it('MC-16 its page is not framed', async () => {
    const { server } = await asked();
    const { headers } = await server.send('/connect-client');
    expect(headers['x-frame-options']).toBe('DENY');
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('a code', () => {
  const given = async () => {
    const opened = await openOauth();
    const id = await opened.clientId();
    const { verifier, challenge } = newVerifier();
    const to = await opened.allow(id, ['filesystemRead'], { challenge });
    return { ...opened, id, verifier, to, code: to.searchParams.get('code') ?? '' };
  };

  it('comes with the state and the issuer', async () => {
    const { to } = await given();
    expect(to.href.startsWith(`${redirect}?`)).toBe(true);
    expect(to.searchParams.get('state')).toBe('their-state');
    expect(to.searchParams.get('iss')).toBe(`${publicUrl}/api/auth`);
  });

  it('MC-16 works once; the second use ends what came of the first', async () => {
    const { id, code, verifier, redeem, tokensOf, use } = await given();
    const tokens = tokensOf(await redeem(id, { code, verifier }));
    expect(await use(tokens.access_token)).toBe(200);
    expect((await redeem(id, { code, verifier })).json).toMatchObject({ error: 'invalid_grant' });
    expect(await use(tokens.access_token)).toBe(401);
  });

  const strange: [string, { verifier?: string; changes?: Changes }][] = [
    ['another verifier', { verifier: newVerifier().verifier }],
    ['no verifier', { changes: { code_verifier: undefined } }],
    ['another address', { changes: { redirect_uri: 'https://client.example/other' } }],
    ['no address', { changes: { redirect_uri: undefined } }],
    ['another resource', { changes: { resource: 'https://other.example/mcp' } }],
  ];
  it('MC-16 is worth nothing with what it was not made for', async () => {
    const { clientId, allow, redeem } = await openOauth();
    const id = await clientId();
    for (const [name, { verifier: other, changes }] of strange) {
      const { verifier, challenge } = newVerifier();
      const code = (await allow(id, ['filesystemRead'], { challenge })).searchParams.get('code') ?? '';
      const got = await redeem(id, { code, verifier: other ?? verifier }, changes);
      expect([name, [400, 401].includes(got.status)]).toEqual([name, true]);
      expect(got.json).not.toHaveProperty('access_token');
    }
  });

  it('MC-16 is worth nothing to another client', async () => {
    const { clientId, code, verifier, redeem } = await given();
    const got = await redeem(await clientId(), { code, verifier });
    expect(got.json).toMatchObject({ error: 'invalid_grant' });
  });

  it('MC-16 holds for a minute', async () => {
    const { server } = await given();
    const { db, close } = await openTestStore(server.dataDir);
    const [row] = await db
      .withTables<{ verification: { value: string; expiresAt: string; createdAt: string } }>()
      .selectFrom('verification')
      .selectAll()
      .where('value', 'like', '%authorization_code%')
      .execute();
    await close();
    const seconds = (Date.parse(row?.expiresAt ?? '') - Date.parse(row?.createdAt ?? '')) / 1_000;
    expect(seconds).toBe(clientLimits.codeSeconds);
  });
});

describe('MC-16 the machines of a consent', () => {
  const machinesOf = async ({ server }: Awaited<ReturnType<typeof openOauth>>, token: string) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'machine_status' } };
    return (await server.send('/mcp', { method: 'POST', headers, body: call })).text;
  };

  it('are those that the person has ticked, and none of another person', async () => {
    const oauth = await openOauth();
    const { server, cookie, clientId, consent, openPage, queryOf, authorize, redeem } = oauth;
    const panel = createPanel(server, cookie);
    for (const host of ['laptop', 'desk'])
      await initDaemon(server, (await panel.gateway.createLink.mutate()).token, { hostIdentifier: host });
    const machines = await panel.machines.list.query();
    const desk = machines.find(({ name }) => name === 'desk')?.id ?? 'none';
    const id = await clientId();
    const { verifier, challenge } = newVerifier();
    const query = queryOf(await authorize(id, { challenge }));
    const yes = { accept: true, scopes: ['filesystemRead'], query, openedBy: await openPage(query) };
    expect((await consent({ ...yes, machines: ['unknown'] })).status).toBe(404);
    const { json } = await consent({ ...yes, machines: [desk] });
    const code = new URL((json as { url: string }).url).searchParams.get('code') ?? '';
    const got = await redeem(id, { code, verifier });
    const text = await machinesOf(oauth, (got.json as { access_token: string }).access_token);
    expect([text.includes('desk'), text.includes('laptop')]).toEqual([true, false]);
    expect(await panel.clients.list.query()).toMatchObject([{ id, machines: [desk] }]);
  });
});
