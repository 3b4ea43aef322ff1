import { describe, expect, it } from 'vitest';
import { newVerifier, openOauth, publicUrl, redirect, type Changes } from '../../../test/oauth.ts';
import { type Got } from '../../../test/server.ts';

const locationOf = (got: Got) => new URL(got.headers.location ?? '', publicUrl);

describe('an authorization request', () => {
  const problems: [string, Changes][] = [
    ['another address of the same site', { redirect_uri: `${redirect}/more` }],
    ['an address with a query', { redirect_uri: `${redirect}?next=https://evil.example` }],
    ['another site', { redirect_uri: 'https://evil.example/callback' }],
    ['a name inside of ours', { redirect_uri: 'https://client.example.evil.example/callback' }],
    ['credentials in the address', { redirect_uri: 'https://client.example@evil.example/callback' }],
    ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ['an unknown client', { client_id: 'unknown' }],
    ['no address', { redirect_uri: undefined }],
  ];
  it('MC-16 that would lead elsewhere is not sent on', async () => {
    const { clientId, authorize } = await openOauth();
    const id = await clientId();
    for (const [name, changes] of problems) {
      const to = locationOf(await authorize(id, { ...changes, challenge: newVerifier().challenge }));
      expect([name, to.origin, to.pathname]).toEqual([name, publicUrl, '/connect-client']);
      expect(to.searchParams.get('error')).toBeTruthy();
      expect(to.searchParams.get('sig')).toBeNull();
    }
  });

  const refusals: [string, Changes, string][] = [
    ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['a challenge without its method', { code_challenge_method: undefined }, 'invalid_request'],
    ['a scope that there is not', { scope: 'filesystemRead admin' }, 'invalid_scope'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['tokens at once', { response_type: 'token' }, 'unsupported_response_type'],
  ];
  it('MC-16 that is not as it must be is told to the client, and nothing is asked', async () => {
    const { clientId, authorize } = await openOauth();
    const id = await clientId();
    for (const [name, changes, error] of refusals) {
      const to = locationOf(await authorize(id, { ...changes, challenge: newVerifier().challenge }));
      const told = new URLSearchParams(to.search || to.hash.slice(1));
      expect([name, told.get('error'), told.get('code')]).toEqual([name, error, null]);
      expect([to.origin, told.get('state')]).toEqual(['https://client.example', 'their-state']);
    }
  });

  it('MC-16 without a state goes nowhere', async () => {
    const { clientId, authorize } = await openOauth();
    const got = await authorize(await clientId(), { state: undefined, challenge: newVerifier().challenge });
    expect(got.headers.location).toBe('/connect-client?error=state_missing');
  });

  it('MC-16 asks again each time, and cannot ask not to', async () => {
    const { connect, authorize } = await openOauth();
    const { id } = await connect(['filesystemRead']);
    const { challenge } = newVerifier();
    for (const changes of [{}, { prompt: 'none' }, { scope: 'filesystemRead' }]) {
      const to = locationOf(await authorize(id, { ...changes, challenge }));
      expect([to.pathname, to.searchParams.has('sig')]).toEqual(['/connect-client', true]);
    }
  });

  it('MC-16 that names a parameter twice is refused', async () => {
    const { clientId, server, cookie } = await openOauth();
    const query = `client_id=${await clientId()}&redirect_uri=a&redirect_uri=b&state=s`;
    const got = await server.send(`/api/auth/oauth2/authorize?${query}`, { headers: { cookie } });
    expect(got.status).toBe(400);
  });

  it('MC-16 a program on the machine may use another port, and nothing else', async () => {
    const { clientId, authorize } = await openOauth();
    const id = await clientId({ redirect_uris: ['http://127.0.0.1:1/callback'] });
    const at = async (redirect_uri: string) => {
      const to = locationOf(await authorize(id, { redirect_uri, challenge: newVerifier().challenge }));
      return to.searchParams.has('sig');
    };
    expect(await at('http://127.0.0.1:50123/callback')).toBe(true);
    expect(await at('http://localhost:50123/callback')).toBe(false);
    expect(await at('http://127.0.0.1:50123/other')).toBe(false);
    expect(await at('https://127.0.0.1:50123/callback')).toBe(false);
    expect(await at('http://127.0.0.2:50123/callback')).toBe(false);
  });
});

describe('a client that is a document on a site', () => {
  const documents = [
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://169.254.169.254/client.json',
    'https://10.0.0.1/client.json',
    'https://localhost/client.json',
    'https://0x7f000001/client.json',
    'https://[::ffff:127.0.0.1]/client.json',
    'https://user:pass@client.example/client.json',
    'http://client.example/client.json',
    'file:///etc/passwd',
    'javascript:alert(1)',
  ];
  it('MC-17 is not fetched from an address inside, nor by another way than https', async () => {
    const { authorize } = await openOauth();
    for (const client of documents) {
      const to = locationOf(await authorize(client, { challenge: newVerifier().challenge }));
      expect([client, to.pathname, to.searchParams.get('error'), to.searchParams.has('sig')]).toEqual([
        client,
        '/connect-client',
        'invalid_client',
        false,
      ]);
    }
  });
});
