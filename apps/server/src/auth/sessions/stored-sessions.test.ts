import { createHmac } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { describe, expect, it } from 'vitest';
import { me, signIn } from '../../../test/account.ts';
import { commandsFor } from '../../../test/chores.ts';
import { connectDaemon } from '../../../test/daemon.ts';
import { newVerifier, openOauth } from '../../../test/oauth.ts';
import { createPanel } from '../../../test/panel.ts';
import { newSubscription } from '../../../test/push-service.ts';
import {
  cookiesOf,
  owner,
  sessionHeaders,
  signUpOwner,
  startServer,
  type TestServer,
} from '../../../test/server.ts';
import type { OpenDatabase } from '../../db/index.ts';
import { openTestStore } from '../../../test/store-place.ts';
import { readSecret } from '../../secrets/index.ts';
import type { AuthTables } from '../auth-tables.ts';
import { sessionKeyOf } from './session-key.ts';
import { createSessionProofs } from './session-proof.ts';

const subscriptions = '/webchat/push/subscriptions';

/** All that the files of the store hold. */
const filesOf = ({ dataDir }: Pick<TestServer, 'dataDir'>): string =>
  ['drawbridge.db', 'drawbridge.db-wal', 'drawbridge.db-shm']
    .map((name) => join(dataDir, name))
    .map((path) => (existsSync(path) ? readFileSync(path, 'latin1') : ''))
    .join('');

const inStore = async <Result>(dataDir: string, work: (db: OpenDatabase['db']) => Promise<Result>) => {
  const { db, close } = await openTestStore(dataDir);
  const result = await work(db);
  await close();
  return result;
};
const auth = (db: OpenDatabase['db']) => db.withTables<AuthTables>();

/** What a reader of the store and of `auth-secret` makes of a text: cookie and proof of a session. */
const forge = ({ dataDir }: TestServer, token: string) => {
  const secret = readSecret(dataDir);
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  return {
    value: encodeURIComponent(`${token}.${signature}`),
    proof: createSessionProofs(secret).of(token),
  };
};

const nameOf = (cookie: string) => cookie.split('=')[0] ?? '';
const tokenOf = (cookie: string) => decodeURIComponent(cookie.split('=')[1] ?? '').split('.')[0] ?? '';

const subscribe = async (server: TestServer, cookie: string) => {
  const body = newSubscription('one').json;
  expect((await server.send(subscriptions, { method: 'POST', headers: { cookie }, body })).status).toBe(200);
};

const signedIn = async (server: TestServer) => {
  const cookie = cookiesOf(await signIn(server, { email: owner.email, password: owner.password }));
  return { cookie, token: tokenOf(cookie) };
};

describe('NG-05: a reader of a copy of the store and of auth-secret', () => {
  it('makes no session of what stands there, in any column or form', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    await subscribe(server, cookie);
    const { token: own } = await signedIn(server);
    const [sessions, [device]] = await inStore(server.dataDir, async (db) => [
      await auth(db).selectFrom('session').selectAll().execute(),
      await db.selectFrom('pushSubscriptions').selectAll().execute(),
    ]);
    const stored = sessions.flatMap(({ id, token }) => [token, token.slice('sha256:'.length), id]);
    const stands = [...stored, device?.session ?? '', ''];
    expect(stands).toContain(sessionKeyOf(own));
    for (const text of stands) {
      const { value, proof } = forge(server, text);
      const forged = await me(server, `${nameOf(cookie)}=${value}`, { [sessionProofHeader]: proof });
      expect([text, forged]).toEqual([text, null]);
    }
    // The token itself, which no file has, is what such a cookie is made of.
    const { value, proof } = forge(server, own);
    expect(await me(server, `${nameOf(cookie)}=${value}`, { [sessionProofHeader]: proof })).not.toBeNull();
  });

  it('finds none of the secrets that the server gives out', async () => {
    const { server, cookie, allow, ...oauth } = await openOauth();
    const panel = createPanel(server, cookie);
    const {
      id: client,
      tokens,
      code,
    } = await oauth.connect(['filesystemRead'], {
      scope: 'filesystemRead offline_access',
    });
    const unused = (await allow(client, ['filesystemRead'], { challenge: newVerifier().challenge }))
      .searchParams;
    const { token: pairing } = await panel.gateway.createLink.mutate();
    const { sessionKey } = await connectDaemon(server, pairing);
    const { token: unusedPairing } = await panel.gateway.createLink.mutate();
    const ticket = await server.send('/rpc/ticket', { method: 'POST', headers: { cookie } });
    const { resetPassword, out } = commandsFor(server.dataDir);
    await resetPassword(owner.email);
    const secrets: Record<string, string | undefined> = {
      session: tokenOf(cookie),
      proof: sessionHeaders(cookie)[sessionProofHeader],
      'access token': (await panel.tokens.create.mutate({ name: 'Desk' })).token,
      invitation: /invite_[\w-]+/.exec(JSON.stringify(await panel.invitations.create.mutate()))?.[0],
      'password reset': /reset_[\w-]+/.exec(out())?.[0],
      'access of a client': tokens.access_token.slice('dbo_'.length),
      'refresh of a client': tokens.refresh_token?.slice('dbr_'.length),
      'code of a client': code,
      'unused code of a client': unused.get('code') ?? undefined,
      'key of a machine': sessionKey,
      'pairing token': pairing,
      'unused pairing token': unusedPairing,
      ticket: /"ticket":"([^"]+)"/.exec(ticket.text)?.[1],
      'secret of a hook': (await panel.hooks.create.mutate({ name: 'hook' })).secret,
    };
    const files = filesOf(server);
    for (const [name, secret] of Object.entries(secrets)) {
      expect([name, (secret ?? '').length]).toEqual([name, expect.toSatisfy((length) => length > 16)]);
      expect([name, files.includes(secret ?? '')]).toEqual([name, false]);
    }
  });
});

describe('NG-05: sessions that an earlier version has stored with their tokens', () => {
  it('go on, with their devices, and their tokens are in no file after a start', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    await subscribe(server, cookie);
    const other = await signedIn(server);
    await server.app.close();
    // As an earlier version has left it.
    await inStore(server.dataDir, async (db) => {
      for (const token of [tokenOf(cookie), other.token]) {
        const key = sessionKeyOf(token);
        await auth(db).updateTable('session').set({ token }).where('token', '=', key).execute();
        await db
          .updateTable('pushSubscriptions')
          .set({ session: token })
          .where('session', '=', key)
          .execute();
      }
    });
    expect(filesOf(server)).toContain(other.token);

    const next = await startServer({ dataDir: server.dataDir });
    for (const one of [cookie, other.cookie]) expect(await me(next, one)).toMatchObject({ isOwner: true });
    const devices = await next.send(subscriptions, { headers: { cookie } });
    expect(devices.json).toMatchObject({ count: 1 });
    const files = filesOf(next);
    expect([tokenOf(cookie), other.token].filter((token) => files.includes(token))).toEqual([]);
    await next.send('/api/auth/sign-out', { method: 'POST', headers: { cookie }, body: {} });
    expect([await me(next, cookie), await me(next, other.cookie)]).toEqual([
      null,
      expect.objectContaining({ isOwner: true }),
    ]);
  });
});
