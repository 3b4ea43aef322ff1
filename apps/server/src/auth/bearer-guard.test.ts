import { get } from 'node:http';
import { systemClock } from '@drawbridge/kit';
import { createTokenInput } from '@drawbridge/contracts/tokens';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openAccess } from '../../test/access.ts';
import { send } from '../../test/server.ts';
import { createLimits, createServer } from '../http/index.ts';
import type { Access } from './access.ts';
import type { AccessControl } from './create-access.ts';
import { createBearerGuard, verifyBearer } from './bearer-guard.ts';

const few = {
  signInPerMinute: 10,
  setupPerMinute: 10,
  pairingPerMinute: 10,
  notFoundPerMinute: 10,
  tokenPerMinute: 3,
  unreadPerUserBytes: 1e8,
  unreadBytes: 1e9,
};

/** A door that says who came, with a token of the one person. */
const openDoor = async (instead?: AccessControl, config = few) => {
  const { access: own, tokens, userId } = await openAccess();
  const access = instead ?? own;
  const log = pino({ level: 'silent' });
  const app = await createServer({ log, trustProxy: [], secure: false, longestAnswerMs: 60_000 });
  const limits = createLimits({ clock: systemClock, config, shared: null });
  const guard = createBearerGuard({
    access,
    limits,
    resource: () => 'here',
    challenge: () => 'realm="here"',
  });
  app.get('/', async (request, reply) => guard(request, reply));
  app.get('/held', async (request, reply) => {
    await guard(request, reply);
    reply.hijack();
    reply.raw.writeHead(200).flushHeaders();
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const token = async () => (await tokens.create(userId, createTokenInput.parse({ name: 'Desk' }))).token;
  const ask = async (authorization?: string | string[]) => {
    const { status, headers } = await send(url, { headers: authorization ? { authorization } : {} });
    return [status, headers['www-authenticate']];
  };
  /** A request that stays open until what it gives is called. */
  const hold = (bearer: string) =>
    new Promise<() => Promise<void>>((resolve) => {
      const request = get(`${url}/held`, { headers: { authorization: `Bearer ${bearer}` }, agent: false });
      request.once('response', (response) => {
        response.resume().once('error', () => {});
        resolve(async () => {
          request.destroy();
          await vi.waitFor(async () => expect((await ask(`Bearer ${bearer}`))[0]).toBe(200), {
            timeout: 30_000,
          });
        });
      });
    });
  return { app, url, token, ask, hold, revokeAll: () => tokens.revokeAll(userId) };
};

describe('the guard of the doors for access tokens', () => {
  it('MC-04 lets a token in, and names the error of every other header', async () => {
    const { url, token, ask } = await openDoor();
    const good = await token();
    const says = async (headers: Record<string, string>) => (await send(url, { headers })).json;
    expect(await says({})).toMatchObject({ message: 'An access token is needed' });
    expect(await says({ authorization: `Bearer ${good}x` })).toMatchObject({
      message:
        'This access token is not valid: it was mistyped, is for another server, or was created after the backup that this server was restored from',
    });
    expect(await ask(`Bearer ${good}`)).toEqual([200, undefined]);
    expect(await ask()).toEqual([401, 'Bearer realm="here"']);
    expect(await ask(`Basic ${good}`)).toEqual([401, 'Bearer realm="here"']);
    expect(await ask(`Bearer ${good}, Bearer ${good}`)).toEqual([401, 'Bearer realm="here"']);
    expect(await ask(`Bearer ${good}x`)).toEqual([401, 'Bearer error="invalid_token", realm="here"']);
  });

  it('MC-04 tells a token that was revoked from one that was mistyped, and says what to do', async () => {
    const { url, token, revokeAll } = await openDoor();
    const revoked = await token();
    const says = async (bearer: string) => {
      const { status, json } = await send(url, { headers: { authorization: `Bearer ${bearer}` } });
      return [status, json];
    };
    await revokeAll();
    const fix = 'Create a new one in the panel, under Agents.';
    expect(await says(revoked)).toEqual([
      401,
      expect.objectContaining({ message: 'This access token was revoked', fix }),
    ]);
    const mistyped = revoked.slice(0, -1) + (revoked.endsWith('_') ? '-' : '_');
    expect(await says(mistyped)).toEqual([
      401,
      expect.objectContaining({ message: expect.stringContaining('mistyped') }),
    ]);
  });

  it('MC-20 counts the uses of a client over all its tokens, and of each user separately', async () => {
    const grants: Record<string, Access> = {};
    const client = (userId: string, grantId: string) =>
      (grants[grantId] = {
        kind: 'client',
        clientId: 'c1',
        grantId,
        userId,
        name: 'Claude',
        scopes: ['shell'],
        resource: 'here',
      });
    for (const grantId of ['g1', 'g2', 'g3', 'g4']) client('ann', grantId);
    client('ben', 'g5');
    const { ask } = await openDoor({
      verify: async (bearer) => grants[bearer] ?? null,
      whyRefused: async () => 'unknown',
      onRevoked: () => () => {},
    });
    const statuses = [];
    for (const bearer of Object.keys(grants)) statuses.push((await ask(`Bearer ${bearer}`))[0]);
    expect(statuses).toEqual([200, 200, 200, 429, 200]);
  });

  it('MC-20 holds 300 requests of one token at a time, and gives a place back when one is over', async () => {
    const { token, ask, hold } = await openDoor(undefined, {
      ...few,
      tokenPerMinute: 1_000,
      unreadPerUserBytes: 1e8,
      unreadBytes: 1e9,
    });
    const [busy, calm] = [await token(), await token()];
    const free = await Promise.all(Array.from({ length: 300 }, () => hold(busy)));
    expect((await ask(`Bearer ${busy}`))[0]).toBe(429);
    expect((await ask(`Bearer ${calm}`))[0]).toBe(200);
    await free[0]?.();
    expect((await ask(`Bearer ${busy}`))[0]).toBe(200);
    await Promise.all(free.slice(1).map((end) => end()));
  });

  it('MC-20 keeps nothing of a client that has left while its token was verified', async () => {
    const [arrived, verified, left] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ];
    const watches = { opened: 0, closed: 0 };
    const access: Access = {
      kind: 'client',
      clientId: 'c1',
      grantId: 'g1',
      userId: 'ann',
      name: 'Claude',
      scopes: ['shell'],
      resource: 'here',
    };
    const { app, url } = await openDoor({
      verify: async () => {
        arrived.resolve();
        await verified.promise;
        return access;
      },
      whyRefused: async () => 'unknown',
      onRevoked: () => {
        watches.opened += 1;
        return () => void (watches.closed += 1);
      },
    });
    app.server.on('request', (_request, response) => void response.once('close', left.resolve));
    const request = get(url, { headers: { authorization: 'Bearer any' }, agent: false });
    request.once('error', () => {});
    await arrived.promise;
    request.destroy();
    await left.promise;
    verified.resolve();
    await expect.poll(() => watches).toEqual({ opened: 1, closed: 1 });
  });

  it('MC-20 counts the uses of each token separately, however its header is written', async () => {
    const { url, token, ask } = await openDoor();
    const [busy, calm] = [await token(), await token()];
    const statuses = [];
    for (const header of [`Bearer ${busy}`, `bearer ${busy}`, `Bearer   ${busy}`, `BEARER ${busy}`])
      statuses.push((await ask(header))[0]);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const refused = await send(url, { headers: { authorization: `Bearer ${busy}` } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask(`Bearer ${calm}`))[0]).toBe(200);
  });
});

it('a bearer is verified without a request, and counted by its name', async () => {
  const { access, tokens, userId } = await openAccess();
  const { token } = await tokens.create(userId, createTokenInput.parse({ name: 'Desk' }));
  const verified = await verifyBearer({ access }, token, '127.0.0.1');
  expect(verified).toMatchObject({ kind: 'granted', access: { userId }, name: expect.any(String) });
  expect(await verifyBearer({ access }, null, '127.0.0.1')).toMatchObject({
    kind: 'refused',
    error: { code: 'UNAUTHORIZED', message: 'An access token is needed' },
  });
});
