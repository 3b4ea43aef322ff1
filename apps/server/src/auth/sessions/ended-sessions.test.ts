import { describe, expect, it } from 'vitest';
import { me, signIn } from '../../../test/account.ts';
import { newVerifier, openOauth } from '../../../test/oauth.ts';
import { openCall } from '../../../test/open-call.ts';
import { cookiesOf, owner } from '../../../test/server.ts';
import type { OpenDatabase } from '../../db/index.ts';
import { openTestStore } from '../../../test/store-place.ts';

type Opened = Pick<Awaited<ReturnType<typeof openOauth>>, 'server' | 'cookie'>;

const newPassword = 'another long password';

/** The session that has let a client in, and another one of the same person, after that. */
const setUp = async (scope = 'filesystemRead offline_access') => {
  const oauth = await openOauth();
  const { id, tokens } = await oauth.connect(['filesystemRead'], { scope });
  const call = await openCall(oauth, tokens.access_token);
  const other = cookiesOf(await signIn(oauth.server, owner));
  return { ...oauth, ...call, clientId: id, tokens, other };
};

const post = ({ server }: Opened, path: string, { cookie, body = {} }: { cookie: string; body?: object }) =>
  server.send(`/api/auth/${path}`, { method: 'POST', headers: { cookie }, body });

/** Better-auth's tables, as another process changes them. */
const inStore = async ({ server }: Opened, change: (db: OpenDatabase['db']) => Promise<unknown>) => {
  const { db, close } = await openTestStore(server.dataDir);
  await change(db);
  await close();
};

describe('a client whose person leaves the panel', () => {
  it.each<[string, string, (oauth: Opened) => Promise<unknown>]>([
    ['signs out', 'filesystemRead offline_access', (oauth) => post(oauth, 'sign-out', oauth)],
    ['signs out, where it has no refresh token', 'filesystemRead', (oauth) => post(oauth, 'sign-out', oauth)],
    [
      'has a session that has run out',
      'filesystemRead offline_access',
      (oauth) =>
        inStore(oauth, (db) =>
          db
            .withTables<{ session: { expiresAt: string } }>()
            .updateTable('session')
            .set({ expiresAt: new Date(0).toISOString() })
            .execute(),
        ),
    ],
  ])('goes on, with its open call, when the person %s', async (_, scope, leave) => {
    const world = await setUp(scope);
    await leave(world);
    await expect.poll(() => me(world.server, world.cookie)).toBeNull();
    expect(await world.use(world.tokens.access_token)).toBe(200);
    expect((await world.answer()).status).toBe(200);
    expect(await world.answered).toContain('late, but here');
  });

  it('refreshes its tokens afterwards, and ends them itself', async () => {
    const world = await setUp();
    await post(world, 'sign-out', world);
    const { refresh, tokensOf, clientId, tokens, use, revoke } = world;
    const next = tokensOf(await refresh(clientId, tokens.refresh_token ?? ''));
    expect(await use(next.access_token)).toBe(200);
    expect((await revoke(next.access_token, clientId)).status).toBe(200);
    expect(await use(next.access_token)).toBe(401);
    expect((await revoke(next.refresh_token ?? '', clientId)).status).toBe(200);
    expect((await refresh(clientId, next.refresh_token ?? '')).json).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('MC-04 gets no tokens for a code that it had not turned in', async () => {
    const { clientId, allow, redeem, ...world } = await openOauth();
    const id = await clientId();
    const { verifier, challenge } = newVerifier();
    const code = (await allow(id, ['filesystemRead'], { challenge })).searchParams.get('code') ?? '';
    await world.server.send('/api/auth/sign-out', {
      method: 'POST',
      headers: { cookie: world.cookie },
      body: {},
    });
    expect((await redeem(id, { code, verifier })).status).toBe(400);
  });
});

describe('MC-04 PK-11 US-07 a client whose person has signed out before', () => {
  type World = Awaited<ReturnType<typeof setUp>>;
  it.each<[string, (world: World) => Promise<unknown>]>([
    [
      'revokes it',
      ({ server, other, clientId }) =>
        server.send('/trpc/clients.revoke', {
          method: 'POST',
          headers: { cookie: other },
          body: { id: clientId },
        }),
    ],
    [
      'changes the password',
      (world) =>
        post(world, 'change-password', {
          cookie: world.other,
          body: { currentPassword: owner.password, newPassword },
        }),
    ],
    [
      'has no account any more',
      (world) =>
        inStore(world, (db) => db.withTables<{ user: { id: string } }>().deleteFrom('user').execute()),
    ],
  ])('is out, with its open call, when the person %s', async (_, end) => {
    const world = await setUp();
    await post(world, 'sign-out', world);
    expect(await world.use(world.tokens.access_token)).toBe(200);
    await end(world);
    expect(await world.answered).toBe('cut');
    // What another process changes counts within half a second.
    await expect.poll(() => world.use(world.tokens.access_token)).toBe(401);
    const { refresh, clientId, tokens } = world;
    expect((await refresh(clientId, tokens.refresh_token ?? '')).status).toBe(400);
  });
});
