import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock, sleep, systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { cookiesOf, owner, procedureResult, setupToken, signUpOwner, startServer, type TestServer } from '../../test/server.ts';

const call = (server: TestServer, procedure: string, { body, cookie }: { body?: unknown; cookie?: string } = {}) =>
  server.send(`/trpc/${procedure}`, {
    method: 'POST',
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': 'application/json', ...(cookie === undefined ? {} : { cookie }) },
  });
const me = async (server: TestServer, cookie: string) =>
  procedureResult(await server.send('/trpc/account.me', { headers: { cookie } }));
const signIn = (server: TestServer, body: unknown) => server.send('/api/auth/sign-in/email', { method: 'POST', body });
const codeOf = (got: { json: unknown }) =>
  (got.json as { error: { data: { code: string } } }).error.data.code;

describe('the owner', () => {
  it('is made once, with the token, and is signed in', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    expect(await me(server, cookie)).toEqual({ id: expect.any(String), name: owner.name, email: owner.email, isOwner: true });
    expect(procedureResult(await server.send('/trpc/setup.status'))).toEqual({ needed: false });
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
    expect(procedureResult(await server.send('/trpc/setup.status'))).toEqual({ needed: true });
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
    const got = await call(second, 'setup.createOwner', { body: { ...owner, setupToken, email: 'second@example.org' } });
    expect([got.status, codeOf(got)]).toEqual([409, 'ALREADY_SET_UP']);
  });

  it('cannot be guessed: tries are counted, each one of a batch', async () => {
    const server = await startServer({ environment: { SETUP_PER_MINUTE: '10' } });
    const wrong = { ...owner, setupToken: 'x'.repeat(38) };
    const batch = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [at, wrong]));
    const path = `/trpc/${Array.from({ length: 10 }, () => 'setup.createOwner').join(',')}?batch=1`;
    await server.send(path, { method: 'POST', body: batch });
    const got = await call(server, 'setup.createOwner', { body: { ...owner, setupToken } });
    expect([got.status, codeOf(got), Number(got.headers['retry-after']) > 0]).toEqual([429, 'TOO_MANY_REQUESTS', true]);
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
    const unknown = await signIn(server, { email: 'nobody@example.org', password: 'not the password' });
    expect([wrong.status, wrong.json]).toEqual([401, unknown.json]);
    expect(unknown.status).toBe(401);
  });

  it('sign in with a new session each time, in a cookie that scripts and other sites do not get', async () => {
    const server = await startServer();
    const first = await signUpOwner(server);
    const got = await server.send('/api/auth/sign-in/email', { method: 'POST', body: owner, headers: { cookie: first } });
    const [cookie = ''] = got.headers['set-cookie'] ?? [];
    expect(cookiesOf(got)).not.toBe(first);
    expect(cookie).toMatch(/^drawbridge\.session_token=.*; HttpOnly; SameSite=Lax$/);
  });

  it('have a secure cookie behind https', async () => {
    const server = await startServer({ environment: { PUBLIC_URL: 'https://bridge.example.org' } });
    const got = await call(server, 'setup.createOwner', { body: { setupToken, ...owner } });
    expect(got.headers['set-cookie']).toEqual([expect.stringMatching(/^__Secure-drawbridge.*; HttpOnly; Secure; SameSite=Lax$/)]);
  });

  it('do not take a cookie that was not signed here', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    expect(await me(server, cookie.replace(/=.{4}/, '=aaaa'))).toBeNull();
    expect(await me(server, cookie.split('.').slice(0, 2).join('.'))).toBeNull();
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
    for (let at = 0; at < 6; at += 1) oneAddress.push(await from('192.0.2.1', `nobody${at}@example.org`));
    expect(oneAddress).toEqual([401, 401, 401, 401, 401, 429]);
    const oneNetwork: number[] = [];
    for (let at = 0; at < 6; at += 1) oneNetwork.push(await from(`2001:db8:1:1::${at}`, `someone${at}@example.org`));
    expect(oneNetwork).toEqual([401, 401, 401, 401, 401, 429]);
    const mapped: number[] = [];
    for (let at = 0; at < 6; at += 1) mapped.push(await from(at % 2 ? '::ffff:192.0.2.9' : '192.0.2.9', `anyone${at}@example.org`));
    expect(mapped).toEqual([401, 401, 401, 401, 401, 429]);
    const oneAccount: number[] = [];
    for (let at = 0; at < 7; at += 1) oneAccount.push(await from(`198.51.100.${at}`, owner.email.toUpperCase()));
    expect(oneAccount.at(-1)).toBe(429);
  });

  it('do not believe a forwarded address from a stranger', async () => {
    const server = await startServer({ environment: { SIGN_IN_PER_MINUTE: '2' } });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at += 1) {
      const headers = { 'x-forwarded-for': `192.0.2.${at}` };
      const body = { email: `nobody${at}@example.org`, password: 'not the password' };
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

  it('end other sessions when the password changes', async () => {
    const server = await startServer();
    const first = await signUpOwner(server);
    const second = cookiesOf(await signIn(server, owner));
    const body = { currentPassword: owner.password, newPassword: 'another long password', revokeOtherSessions: false };
    const got = await server.send('/api/auth/change-password', { method: 'POST', body, headers: { cookie: second } });
    expect(got.status).toBe(200);
    expect(await me(server, first)).toBeNull();
    expect(await me(server, cookiesOf(got))).toMatchObject({ email: owner.email });
  });
});

describe('an invitation', () => {
  const invite = async (server: TestServer, cookie: string) => {
    const link = procedureResult(await call(server, 'invitations.create', { cookie })) as { id: string; url: string };
    return { ...link, invitationToken: link.url.split('#token=')[1] ?? '' };
  };
  const guest = { name: 'Guest', email: 'guest@example.org', password: 'a long password' };

  it('makes one account that is no owner, once', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const { invitationToken, url } = await invite(server, cookie);
    expect(url).toMatch(new RegExp(`^${server.url}/invitation#token=invite_[\\w-]{32}$`));
    const accepted = await call(server, 'invitations.accept', { body: { invitationToken, ...guest } });
    expect(await me(server, cookiesOf(accepted))).toEqual({ id: expect.any(String), name: 'Guest', email: guest.email, isOwner: false });
    const again = await call(server, 'invitations.accept', { body: { invitationToken, ...guest, email: 'other@example.org' } });
    expect([again.status, codeOf(again)]).toEqual([403, 'FORBIDDEN']);
    expect(procedureResult(await server.send('/trpc/invitations.list', { headers: { cookie } }))).toEqual([]);
  });

  it('lets one of many in at once', async () => {
    const server = await startServer();
    const { invitationToken } = await invite(server, await signUpOwner(server));
    const tries = Array.from({ length: 8 }, (_, at) =>
      call(server, 'invitations.accept', { body: { ...guest, invitationToken, email: `guest${at}@example.org` } }),
    );
    const statuses = (await Promise.all(tries)).map((got) => got.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 403, 403, 403, 403, 403, 403, 403]);
  });

  it('stays unused when the address is taken, in whatever letters', async () => {
    const server = await startServer();
    const { invitationToken } = await invite(server, await signUpOwner(server));
    const taken = await call(server, 'invitations.accept', { body: { ...guest, invitationToken, email: 'OWNER@example.org' } });
    expect([taken.status, codeOf(taken)]).toEqual([409, 'EMAIL_TAKEN']);
    expect((await call(server, 'invitations.accept', { body: { ...guest, invitationToken } })).status).toBe(200);
  });

  it('ends after seven days, or when it is taken back', async () => {
    const clock = createFakeClock(systemClock.now());
    const server = await startServer({ clock });
    const cookie = await signUpOwner(server);
    const late = await invite(server, cookie);
    const revoked = await invite(server, cookie);
    expect((await call(server, 'invitations.revoke', { cookie, body: { id: revoked.id } })).status).toBe(200);
    expect((await call(server, 'invitations.revoke', { cookie, body: { id: revoked.id } })).status).toBe(404);
    clock.advance(7 * 24 * 60 * 60 * 1_000);
    const answers = await Promise.all(
      [late, revoked].map(({ invitationToken }) => call(server, 'invitations.accept', { body: { ...guest, invitationToken } })),
    );
    expect(answers.map((got) => got.status)).toEqual([403, 403]);
  });

  it('is made, seen and taken back by the owner alone', async () => {
    const server = await startServer();
    const { invitationToken, id } = await invite(server, await signUpOwner(server));
    const cookie = cookiesOf(await call(server, 'invitations.accept', { body: { invitationToken, ...guest } }));
    const answers = [
      await call(server, 'invitations.create', { cookie }),
      await server.send('/trpc/invitations.list', { headers: { cookie } }),
      await call(server, 'invitations.revoke', { cookie, body: { id } }),
      await call(server, 'invitations.create'),
    ];
    expect(answers.map((got) => got.status)).toEqual([403, 403, 403, 401]);
  });

  it('is kept as a digest', async () => {
    const server = await startServer();
    const { invitationToken } = await invite(server, await signUpOwner(server));
    await server.app.close();
    const stored = ['drawbridge.db', 'drawbridge.db-wal']
      .map((name) => join(server.dataDir, name))
      .flatMap((file) => (statSync(file, { throwIfNoEntry: false }) ? [readFileSync(file, 'latin1')] : []))
      .join('');
    expect(stored).toContain('invitation');
    expect(stored).not.toContain(invitationToken.slice('invite_'.length));
  });
});

describe('the end of a session', () => {
  it('ends its subscriptions, and no other', async () => {
    const server = await startServer();
    const first = await signUpOwner(server);
    const second = cookiesOf(await signIn(server, owner));
    const open = async (cookie: string) => {
      const response = await fetch(`${server.url}/trpc/gateway.onStateChanged`, { headers: { cookie, accept: 'text/event-stream' } });
      const reader = response.body?.getReader();
      let text = '';
      const done = (async () => {
        for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
          text += new TextDecoder().decode(part.value);
        }
      })().catch(() => {});
      return { done, text: () => text, cancel: () => reader?.cancel() };
    };
    const ended = await open(first);
    const kept = await open(second);
    await server.send('/api/auth/sign-out', { method: 'POST', headers: { cookie: first } });
    await ended.done;
    expect(ended.text()).toContain('UNAUTHORIZED');
    await sleep(systemClock, 50);
    expect(kept.text()).not.toContain('UNAUTHORIZED');
    await kept.cancel();
  });
});
