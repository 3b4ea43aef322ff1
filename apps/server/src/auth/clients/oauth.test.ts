import { describe, expect, it } from 'vitest';
import { newVerifier, openOauth, publicUrl, resource } from '../../../test/oauth.ts';
import { createPanel } from '../../../test/panel.ts';
import { procedureResult } from '../../../test/server.ts';
import { invited } from '../../../test/tenants.ts';

const allScopes = 'filesystemRead filesystemWrite shell computer browser mcp runtime system offline_access';

describe('a client that comes by OAuth', () => {
  it('is told where to go', async () => {
    const { server } = await openOauth();
    for (const path of ['', '/mcp', '/mcp/some-machine']) {
      const got = await server.send(`/.well-known/oauth-protected-resource${path}`);
      expect(got.json).toEqual({
        resource,
        authorization_servers: [`${publicUrl}/api/auth`],
        scopes_supported: allScopes.split(' '),
        bearer_methods_supported: ['header'],
        resource_name: 'Drawbridge',
      });
    }
    const refused = await server.send('/mcp', { method: 'POST', body: {} });
    expect(refused.headers['www-authenticate']).toContain(
      `resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp"`,
    );
    const { json } = await server.send('/.well-known/oauth-authorization-server/api/auth');
    const base = `${publicUrl}/api/auth/oauth2`;
    expect(json).toEqual({
      issuer: `${publicUrl}/api/auth`,
      authorization_endpoint: `${base}/authorize`,
      token_endpoint: `${base}/token`,
      registration_endpoint: `${base}/register`,
      revocation_endpoint: `${base}/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: [
        'none',
        'client_secret_basic',
        'client_secret_post',
        'private_key_jwt',
      ],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: allScopes.split(' '),
    });
  });

  it('gets tokens for what the person has ticked, is listed, and is gone at once when it is revoked', async () => {
    const { connect, use, refresh, server, cookie } = await openOauth();
    const { id, tokens } = await connect(['filesystemRead']);
    expect(tokens).toMatchObject({ scope: 'filesystemRead offline_access', token_type: 'Bearer' });
    expect(await use(tokens.access_token)).toBe(200);
    expect(procedureResult(await server.send('/trpc/clients.list', { headers: { cookie } }))).toEqual([
      {
        id,
        name: 'Agent',
        host: 'client.example',
        origin: 'registration',
        scopes: ['filesystemRead'],
        connectedAt: expect.any(String),
        lastUsedAt: expect.any(String),
        lastUsedFrom: '127.0.0.1',
      },
    ]);
    const revoked = await server.send('/trpc/clients.revoke', {
      method: 'POST',
      headers: { cookie },
      body: { id },
    });
    expect(procedureResult(revoked)).toEqual({ ok: true });
    expect(await use(tokens.access_token)).toBe(401);
    expect((await refresh(id, tokens.refresh_token ?? '')).json).toMatchObject({ error: 'invalid_grant' });
    expect(procedureResult(await server.send('/trpc/clients.list', { headers: { cookie } }))).toEqual([]);
  });

  it('MC-16 a code that was given before the client was revoked is worth nothing after', async () => {
    const { clientId, allow, redeem, server, cookie } = await openOauth();
    const id = await clientId();
    const { verifier, challenge } = newVerifier();
    const code = (await allow(id, ['filesystemRead'], { challenge })).searchParams.get('code') ?? '';
    await server.send('/trpc/clients.revoke', { method: 'POST', headers: { cookie }, body: { id } });
    expect((await redeem(id, { code, verifier })).json).toMatchObject({ error: 'invalid_grant' });
  });

  it('refreshes its tokens', async () => {
    const { connect, refresh, use, tokensOf } = await openOauth();
    const { id, tokens } = await connect();
    const first = tokens.refresh_token ?? '';
    const next = tokensOf(await refresh(id, first));
    expect(next.scope).toBe('filesystemRead offline_access');
    expect(await use(next.access_token)).toBe(200);
  });

  it('ends its own token', async () => {
    const { connect, use, revoke } = await openOauth();
    const { id, tokens } = await connect();
    expect((await revoke(tokens.access_token, id)).status).toBe(200);
    expect(await use(tokens.access_token)).toBe(401);
  });
});

describe('two people', () => {
  it('US-05 do not see or revoke what the other has connected, also where the client is the same', async () => {
    const opened = await openOauth();
    const { connect, server, cookie, use, consent, queryOf, authorize } = opened;
    const { id, tokens } = await connect();
    const ben = await invited(server, createPanel(server, cookie));
    const asBen = { headers: { cookie: ben } };
    expect(procedureResult(await server.send('/trpc/clients.list', asBen))).toEqual([]);
    const send = () =>
      server.send('/trpc/clients.revoke', { method: 'POST', headers: { cookie: ben }, body: { id } });
    expect((await send()).status).toBe(404);
    const query = queryOf(await authorize(id, { challenge: newVerifier().challenge }, { cookie: ben }));
    const openedBy = await opened.openPage(query, { cookie: ben });
    await consent({ accept: true, scopes: ['filesystemRead'], query, openedBy }, { cookie: ben });
    expect(procedureResult(await server.send('/trpc/clients.list', asBen))).toMatchObject([{ id }]);
    expect((await send()).status).toBe(200);
    expect(await use(tokens.access_token)).toBe(200);
  });
});

describe('a token of a client', () => {
  it('MC-04 a refresh token, a code, a secret and a token of another server are no access tokens', async () => {
    const { connect, use } = await openOauth();
    const { tokens, code } = await connect();
    for (const bearer of [
      tokens.refresh_token ?? '',
      code,
      `dbo_${code}`,
      'dbo_',
      'eyJhbGciOiJub25lIn0.e30.',
    ])
      expect([bearer.slice(0, 4), await use(bearer)]).toEqual([bearer.slice(0, 4), 401]);
  });

  it('MC-04 is good for the MCP door alone', async () => {
    const { connect, server } = await openOauth();
    const { tokens } = await connect();
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    for (const path of ['/trpc/clients.list', '/trpc/tokens.list', '/trpc/confirmations.list'])
      expect([path, (await server.send(path, { headers })).status]).toEqual([path, 401]);
  });

  it('is narrowed by what the person ticks later', async () => {
    const { connect, server, cookie } = await openOauth();
    const { id } = await connect(['filesystemRead', 'shell']);
    await connect(['filesystemRead'], { client: id });
    const list = procedureResult(await server.send('/trpc/clients.list', { headers: { cookie } }));
    expect(list).toMatchObject([{ id, scopes: ['filesystemRead'] }]);
  });
});
