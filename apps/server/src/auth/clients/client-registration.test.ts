import { describe, expect, it } from 'vitest';
import { openAccess } from '../../../test/access.ts';
import { newVerifier, openOauth } from '../../../test/oauth.ts';
import { owner, procedureResult } from '../../../test/server.ts';

describe('registration', () => {
  it('MC-18 keeps a short, visible name and nothing of logos and links', async () => {
    const { register, server, cookie, authorize, queryOf } = await openOauth();
    const got = await register({
      client_name: ' Claude ',
      logo_uri: 'http://169.254.169.254/latest',
      jwks_uri: 'http://127.0.0.1/keys',
      client_uri: 'javascript:alert(1)',
      contacts: ['someone@example.org'],
    });
    expect(got.status).toBe(201);
    expect(got.json).toMatchObject({ client_name: 'Claude' });
    for (const name of ['logo_uri', 'jwks_uri', 'client_uri', 'contacts'])
      expect(got.json).not.toHaveProperty(name);
    const id = (got.json as { client_id: string }).client_id;
    const query = queryOf(await authorize(id, { challenge: newVerifier().challenge }));
    const input = encodeURIComponent(JSON.stringify({ query }));
    const shown = await server.send(`/trpc/clients.request?input=${input}`, { headers: { cookie } });
    expect(procedureResult(shown)).toMatchObject({ name: 'Claude', host: 'client.example' });
  });

  it('NO-08: refuses a name with invisible letters, which would read as another', async () => {
    const { register } = await openOauth();
    for (const name of [
      'Clau\u200bde',
      'Claude\u202e',
      '\u2066edualC',
      'Cla\u00adude',
      'Claude\u{e0041}',
      'a\nb',
      '\u2800',
    ])
      expect([name, (await register({ client_name: name })).status]).toEqual([name, 400]);
    for (const name of ['Клод', 'Agent ❤\ufe0f', 'Drawbridge', '\u0421laude Code'])
      expect([name, (await register({ client_name: name })).json]).toMatchObject([
        name,
        { client_name: name },
      ]);
  });

  const bad: [string, object][] = [
    ['NO-08: a host with a *', { redirect_uris: ['https://*.example/cb'] }],
    ['NO-08: a host with an encoded *', { redirect_uris: ['https://%2a.example/cb'] }],
    ['NO-08: a path with a *', { redirect_uris: ['https://client.example/*'] }],
    ['NO-08: a * in a query', { redirect_uris: ['https://client.example/cb?to=*'] }],
    ['NO-08: a * beside others', { redirect_uris: ['https://client.example/cb', 'http://127.0.0.1:*/cb'] }],
    ['NO-08: a * in the scheme of a program', { redirect_uris: ['org.example.*:/cb'] }],
    ['a name of a megabyte', { client_name: 'x'.repeat(1024 * 1024) }],
    ['a name of 101 letters', { client_name: 'x'.repeat(101) }],
    ['eleven addresses', { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://a.example/${n}`) }],
    ['no address', { redirect_uris: [] }],
    ['an address of 2,001 letters', { redirect_uris: [`https://a.example/${'x'.repeat(1_983)}`] }],
    ['a script as its address', { redirect_uris: ['javascript:alert(1)'] }],
    ['a page of data as its address', { redirect_uris: ['data:text/html,x'] }],
    ['a file as its address', { redirect_uris: ['file:///etc/passwd'] }],
    ['plain http', { redirect_uris: ['http://client.example/callback'] }],
    ['an address with a fragment', { redirect_uris: ['https://client.example/#x'] }],
    ['a scope that there is not', { scope: 'admin' }],
  ];
  it('MC-18 refuses what is too much, or leads where nothing should', async () => {
    const { register } = await openOauth();
    for (const [name, body] of bad) {
      const got = await register(body);
      expect([name, [400, 413].includes(got.status)]).toEqual([name, true]);
      expect(got.json).not.toHaveProperty('client_id');
    }
  });

  const noPrograms = [
    'cursor://evil.example/oauth/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback/../../evil',
    'cursor://anysphere.cursor-mcp/oauth/callback?to=https://evil.example',
    'cursor://anysphere.cursor-mcp/oauth/callback#x',
    'cursor://user@anysphere.cursor-mcp/oauth/callback',
    'Cursor://anysphere.cursor-mcp/oauth/callback',
    'cursor:/anysphere.cursor-mcp/oauth/callback',
    'anything://callback',
    'vbscript:x',
    'blob:https://client.example/x',
    'about:blank',
    'view-source:https://client.example/',
    'ws://client.example/',
    'ftp://client.example/',
    'mailto:someone@example.org',
    'intent://client.example/',
    'chrome://settings/',
    'ms-settings:x',
  ];
  it('MC-18 refuses addresses with a scheme that any program could take, or that leads elsewhere', async () => {
    const { register } = await openOauth();
    for (const uri of noPrograms) {
      const got = await register({ redirect_uris: ['https://client.example/callback', uri] });
      expect([uri, got.status, got.json]).toMatchObject([uri, 400, { error: 'invalid_redirect_uri' }]);
    }
  });

  const cursor = 'cursor://anysphere.cursor-mcp/oauth/callback';
  it.each([
    ['alone', [cursor]],
    ['beside others', [cursor, 'https://client.example/callback', 'http://localhost:8787/callback']],
    ['of a reversed domain name', ['org.example.app:/callback']],
  ])('takes the address of a program that it knows: %s', async (_, redirect_uris) => {
    const { register, connect, use, authorize, queryOf, server, cookie } = await openOauth();
    const got = await register({ redirect_uris });
    expect([got.status, got.json]).toMatchObject([201, { redirect_uris }]);
    const client = (got.json as { client_id: string }).client_id;
    const [redirect_uri = ''] = redirect_uris;
    const query = queryOf(await authorize(client, { redirect_uri, challenge: newVerifier().challenge }));
    const input = encodeURIComponent(JSON.stringify({ query }));
    const shown = await server.send(`/trpc/clients.request?input=${input}`, { headers: { cookie } });
    expect(procedureResult(shown)).toMatchObject({ goesTo: 'app', host: new URL(redirect_uri).protocol });
    const { tokens, to } = await connect(['filesystemRead'], { client, redirect_uri });
    expect(to.href.startsWith(`${redirect_uri}?`)).toBe(true);
    expect(await use(tokens.access_token)).toBe(200);
    const stand = await authorize(client, { redirect_uri: 'http://127.0.0.1/', challenge: 'x'.repeat(43) });
    expect(stand.headers.location).not.toContain('sig=');
  });

  it('MC-18 is limited for one address', async () => {
    const { register } = await openOauth();
    const statuses = [];
    for (let n = 0; n < 21; n++) statuses.push((await register()).status);
    expect(statuses.slice(0, 20).every((status) => status === 201)).toBe(true);
    expect(statuses[20]).toBe(429);
  });
});

it.each([
  ['that turns around', 'Claude\u200b\u202e', 'Claude\\u{200b}\\u{202e}'],
  ['of another line', 'Claude\n(verified)', 'Claude\\n(verified)'],
  ['of 5,000 letters', 'x'.repeat(5_000), 'x'.repeat(100)],
  ['of which nothing is seen', '\u200b', '\\u{200b}'],
  ['of blanks', '  ', 'https://client.example/client.json'],
])('MC-18 a name in a document %s is shown as it is safe to read', async (_, name, shown) => {
  const { clients, db, userId } = await openAccess();
  const session = { key: 'session', user: { id: userId, ...owner, isOwner: true } };
  const clientId = 'https://client.example/client.json';
  const redirect_uri = 'https://client.example/callback';
  // A table of better-auth, which our schema does not name.
  const own = db.withTables<{
    oauthClient: {
      id: string;
      clientId: string;
      clientDiscoveryId: string;
      name: string;
      redirectUris: string;
    };
  }>();
  await own
    .insertInto('oauthClient')
    .values({
      id: 'c',
      clientId,
      clientDiscoveryId: 'cimd',
      name,
      redirectUris: JSON.stringify([redirect_uri]),
    })
    .execute();
  const query = new URLSearchParams({ client_id: clientId, redirect_uri }).toString();
  expect(await clients.request(query, session)).toMatchObject({ name: shown, origin: 'document' });
});
