import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, codeOf, me, signIn } from '../../../test/account.ts';
import { createPanel } from '../../../test/panel.ts';
import {
  cookiesOf,
  owner,
  procedureResult,
  sessionHeaders,
  setupToken,
  signUpOwner,
  startServer,
} from '../../../test/server.ts';

const setupStatus = (needed: boolean) => ({
  needed,
  serverCommand: expect.stringContaining('drawbridge-server'),
});

describe('the owner', () => {
  it('is made once, with the token, and is signed in', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    expect(await me(server, cookie)).toEqual({
      id: expect.any(String),
      name: owner.name,
      email: owner.email,
      isOwner: true,
    });
    expect(procedureResult(await server.send('/trpc/setup.status'))).toEqual(setupStatus(false));
    expect(await server.app.setupLink()).toBeNull();
  });

  it.each([
    ['a wrong token', { ...owner, setupToken: 'x'.repeat(38) }, 403, 'FORBIDDEN'],
    ['a shorter token', { ...owner, setupToken: setupToken.slice(0, -1) }, 403, 'FORBIDDEN'],
    ['a short password', { ...owner, setupToken, password: 'short' }, 400, 'BAD_REQUEST'],
    ['a field that is not asked for', { ...owner, setupToken, isOwner: true }, 400, 'BAD_REQUEST'],
    ['a role', { ...owner, setupToken, role: 'admin' }, 400, 'BAD_REQUEST'],
  ])('is not made with %s', async (_, body, status, code) => {
    const server = await startServer();
    const got = await call(server, 'setup.createOwner', { body });
    expect([got.status, codeOf(got), got.headers['set-cookie']]).toEqual([status, code, undefined]);
    expect(procedureResult(await server.send('/trpc/setup.status'))).toEqual(setupStatus(true));
  });

  it('is one, however many ask at once', async () => {
    const server = await startServer();
    const tries = Array.from({ length: 8 }, (_, at) =>
      call(server, 'setup.createOwner', { body: { ...owner, setupToken, email: `owner${at}@example.org` } }),
    );
    const statuses = (await Promise.all(tries)).map((got) => got.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409, 409, 409]);
    // The losers have left no account behind.
    const accounts = await Promise.all(
      statuses.map((_, at) => signIn(server, { email: `owner${at}@example.org`, password: owner.password })),
    );
    expect(accounts.map((got) => got.status)).toEqual(statuses.map((status) => (status === 200 ? 200 : 401)));
  });

  it('cannot be made again after a restart', async () => {
    const first = await startServer();
    await signUpOwner(first);
    await first.app.close();
    const second = await startServer({ dataDir: first.dataDir });
    const got = await call(second, 'setup.createOwner', {
      body: { ...owner, setupToken, email: 'second@example.org' },
    });
    expect([got.status, codeOf(got)]).toEqual([409, 'ALREADY_SET_UP']);
  });

  it('cannot be guessed: tries are counted, each one of a batch', async () => {
    const server = await startServer({ environment: { SETUP_PER_MINUTE: '10' } });
    const wrong = { ...owner, setupToken: 'x'.repeat(38) };
    const batch = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at, wrong]));
    const path = `/trpc/${Array.from({ length: 10 }, () => 'setup.createOwner').join(',')}?batch=1`;
    await server.send(path, { method: 'POST', body: batch });
    const got = await call(server, 'setup.createOwner', { body: { ...owner, setupToken } });
    expect([got.status, codeOf(got), Number(got.headers['retry-after']) > 0]).toEqual([
      429,
      'TOO_MANY_REQUESTS',
      true,
    ]);
  });
});

describe('accounts', () => {
  it.each([
    ['sign-up/email', { email: 'x@example.org', password: 'a long password', name: 'X' }],
    ['sign-up/email', { email: 'x@example.org', password: 'a long password', name: 'X', ownerSlot: 'owner' }],
    ['update-user', { name: 'X', ownerSlot: 'owner' }],
    ['delete-user', {}],
    ['change-email', { newEmail: 'x@example.org' }],
    ['request-password-reset', { email: owner.email }],
    ['reset-password', { newPassword: 'another password', token: 'x' }],
    ['sign-in/social', { provider: 'google' }],
    ['api-key/create', { userId: 'x', name: 'x' }],
  ])('are not open at %s', async (path, body) => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const got = await server.send(`/api/auth/${path}`, { method: 'POST', body, headers: { cookie } });
    expect([got.status, got.json]).toEqual([404, { code: 'NOT_FOUND', message: 'Not found' }]);
  });

  it('answer a wrong password and an unknown address in the same words', async () => {
    const server = await startServer();
    await signUpOwner(server);
    const wrong = await signIn(server, { email: owner.email, password: 'not the password' });
    const unknown = await signIn(server, { email: 'stranger@example.org', password: 'not the password' });
    expect([wrong.status, wrong.json]).toEqual([401, unknown.json]);
    expect(unknown.status).toBe(401);
  });

  it('sign in with a new session each time, in a cookie that scripts and other sites do not get', async () => {
    const server = await startServer();
    const first = await signUpOwner(server);
    const got = await server.send('/api/auth/sign-in/email', {
      method: 'POST',
      body: owner,
      headers: { cookie: first },
    });
    const [cookie = ''] = got.headers['set-cookie'] ?? [];
    expect(cookiesOf(got)).not.toBe(first);
    expect(cookie).toMatch(/^drawbridge-[0-9a-f]{8}\.session_token=.*; HttpOnly; SameSite=Lax$/);
  });

  it('US-20 stay signed in beside another server of the same host, and with a cookie of the former name', async () => {
    const [one, two] = [await startServer(), await startServer()];
    const [first, second] = [await signUpOwner(one), await signUpOwner(two)];
    expect(first.split('=')[0]).not.toBe(second.split('=')[0]);
    const seen = async (cookie: string) => me(one, cookie, { ...sessionHeaders(first), cookie });
    const signedIn = expect.objectContaining({ email: owner.email });
    // A browser sends the cookies of a host to each port of it.
    expect(await seen(`${second}; ${first}`)).toEqual(signedIn);
    const former = first.replace(/^drawbridge-[0-9a-f]+/, 'drawbridge');
    expect(await seen(former)).toEqual(signedIn);
    expect(await seen(`${former}; ${first}`)).toEqual(signedIn);
    expect(await seen(second)).toBeNull();
  });

  it('US-04 are named in the log, with the address, when they sign in or fail to; so are tokens', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    await signIn(server, { ...owner, password: 'not the password' });
    await signIn(server, owner);
    const panel = createPanel(server, cookie);
    const { id } = await panel.tokens.create.mutate({ name: 'Script', scopes: ['shell'] });
    await panel.tokens.revoke.mutate({ id });
    const lines = server.log.map((line): unknown => JSON.parse(line));
    const who = { account: owner.email, address: '127.0.0.1' };
    for (const line of [
      { ...who, level: 40, msg: `sign-in failed for ${owner.email} from 127.0.0.1` },
      { ...who, level: 30, msg: `signed in for ${owner.email} from 127.0.0.1` },
      { level: 30, token: id, msg: 'access token created: Script' },
      { level: 30, token: id, msg: 'access token revoked' },
    ])
      expect(lines).toContainEqual(expect.objectContaining(line));
    expect(server.log.join('')).not.toContain('Invalid password');
  });

  it('send a browser nowhere after signing in', async () => {
    const server = await startServer();
    await signUpOwner(server);
    const got = await signIn(server, { ...owner, callbackURL: 'https://evil.example' });
    expect([got.status, got.text.includes('evil'), got.headers.location]).toEqual([200, false, undefined]);
  });

  it('have a secure cookie behind https', async () => {
    const server = await startServer({ environment: { PUBLIC_URL: 'https://bridge.example.org' } });
    const got = await call(server, 'setup.createOwner', { body: { setupToken, ...owner } });
    expect(got.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Secure-drawbridge.*; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });

  it('do not take a cookie that was not signed here', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const { cookie: _own, ...proof } = sessionHeaders(cookie);
    expect(await me(server, cookie.replace(/=.{4}/, '=aaaa'), proof)).toBeNull();
    expect(await me(server, cookie.split('.').slice(0, 2).join('.'), proof)).toBeNull();
  });

  it('limit the tries of one address, and of all addresses at one account', async () => {
    const server = await startServer({ environment: { SIGN_IN_PER_MINUTE: '5', TRUST_PROXY: '127.0.0.1' } });
    await signUpOwner(server);
    const from = (address: string, email: string) =>
      server
        .send('/api/auth/sign-in/email', {
          method: 'POST',
          body: { email, password: 'not the password' },
          headers: { 'x-forwarded-for': address },
        })
        .then((got) => got.status);
    const oneAddress: number[] = [];
    for (let at = 0; at < 6; at += 1) oneAddress.push(await from('192.0.2.1', `stranger${at}@example.org`));
    expect(oneAddress).toEqual([401, 401, 401, 401, 401, 429]);
    const oneNetwork: number[] = [];
    for (let at = 0; at < 6; at += 1)
      oneNetwork.push(await from(`2001:db8:1:1::${at}`, `someone${at}@example.org`));
    expect(oneNetwork).toEqual([401, 401, 401, 401, 401, 429]);
    const mapped: number[] = [];
    for (let at = 0; at < 6; at += 1)
      mapped.push(await from(at % 2 ? '::ffff:192.0.2.9' : '192.0.2.9', `anyone${at}@example.org`));
    expect(mapped).toEqual([401, 401, 401, 401, 401, 429]);
    const oneAccount: number[] = [];
    for (let at = 0; at < 7; at += 1)
      oneAccount.push(await from(`198.51.100.${at}`, owner.email.toUpperCase()));
    expect(oneAccount.at(-1)).toBe(429);
  });

  it('do not believe a forwarded address from a stranger', async () => {
    const server = await startServer({ environment: { SIGN_IN_PER_MINUTE: '2' } });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${at}` };
      const body = { email: `stranger${at}@example.org`, password: 'not the password' };
      statuses.push((await server.send('/api/auth/sign-in/email', { method: 'POST', body, headers })).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
  });

  it('keep the secret that signs cookies to one user of the machine', async () => {
    const server = await startServer();
    const file = join(server.dataDir, 'auth-secret');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').trim()).toHaveLength(43);
  });
});
