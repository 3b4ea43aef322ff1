import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { clientLimits } from '@drawbridge/contracts/clients';
import { systemClock } from '@drawbridge/kit';
import { symmetricDecrypt } from 'better-auth/crypto';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { newVerifier, oauthOf, publicUrl, resource } from '../../../test/oauth.ts';
import { signUpOwner, startServer, type Got, type TestServer } from '../../../test/server.ts';
import { openTestStore } from '../../../test/store-place.ts';
import { createSealer, readSecret } from '../../secrets/index.ts';

const minuteMs = clientLimits.refreshAgainSeconds * 1_000;
const hourMs = 60 * 60 * 1_000;

// The account library reads the time of the system. The timers are real.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

/** A server whose time is moved, with a connected client; `restart` leaves the store as it is. */
const setUp = async () => {
  const environment = { PUBLIC_URL: publicUrl };
  let server: TestServer = await startServer({ environment });
  const { dataDir } = server;
  const cookie = await signUpOwner(server);
  const clientAt = (one: TestServer) => oauthOf(one, { cookie, resource });
  const { db, close } = await openTestStore(dataDir);
  onTestFinished(close);
  const client = await clientAt(server).clientId();
  const open = (rows: string) => sql<Record<string, string | null>>`${sql.raw(rows)}`.execute(db);
  return {
    dataDir,
    client,
    oauth: () => clientAt(server),
    connect: async () => (await clientAt(server).connect(undefined, { client })).tokens.refresh_token ?? '',
    refresh: (token: string, changes = {}) => clientAt(server).refresh(client, token, changes),
    use: (access: string) => clientAt(server).use(access),
    advance: (ms: number) => void vi.setSystemTime(systemClock.now() + ms),
    restart: async () => {
      await server.app.close();
      server = await startServer({ environment, dataDir });
    },
    run: open,
    /** The refresh tokens that can be used. */
    lines: async () => (await open('select id from oauthRefreshToken where revoked is null')).rows.length,
  };
};
type World = Awaited<ReturnType<typeof setUp>>;

const refreshed = (world: World, got: Got) => {
  const { access_token, refresh_token = '' } = world.oauth().tokensOf(got);
  return { access: access_token, refresh: refresh_token };
};
const registered = z.object({ client_id: z.string(), client_secret: z.string() });
const refused = { status: 400, json: { error: 'invalid_grant' } };

describe('a refresh token that is used twice', () => {
  it('gets the same answer within a minute, also after a restart', async () => {
    const world = await setUp();
    const first = await world.connect();
    const next = refreshed(world, await world.refresh(first));
    world.advance(minuteMs - 2_000);
    expect(refreshed(world, await world.refresh(first))).toEqual(next);
    await world.restart();
    expect(refreshed(world, await world.refresh(first))).toEqual(next);
    expect(await world.use(next.access)).toBe(200);
    expect(await world.lines()).toBe(1);
  });

  it('at the same moment gets one answer, and leaves one line', async () => {
    const world = await setUp();
    const first = await world.connect();
    const answers = await Promise.all([1, 2, 3].map(() => world.refresh(first)));
    const [next, ...others] = answers.map((got) => refreshed(world, got));
    expect(others).toEqual([next, next]);
    expect(await world.lines()).toBe(1);
  });

  it('MC-16 ends the grant after the minute', async () => {
    const world = await setUp();
    const first = await world.connect();
    const next = refreshed(world, await world.refresh(first));
    world.advance(minuteMs + 1_000);
    expect(await world.refresh(first)).toMatchObject(refused);
    expect(await world.use(next.access)).toBe(401);
    expect(await world.refresh(next.refresh)).toMatchObject(refused);
  });

  it('MC-16 ends the grant within the minute where its successor was used', async () => {
    const world = await setUp();
    const first = await world.connect();
    const second = refreshed(world, await world.refresh(first));
    const third = refreshed(world, await world.refresh(second.refresh));
    expect(await world.refresh(first)).toMatchObject(refused);
    expect(await world.use(third.access)).toBe(401);
    expect(await world.lines()).toBe(0);
  });

  it('MC-16 is answered to its client alone, with its secret', async () => {
    const world = await setUp();
    const { register, allow, redeem, tokensOf, refresh, use } = world.oauth();
    const { json } = await register({ token_endpoint_auth_method: 'client_secret_post' });
    const { client_id, client_secret } = registered.parse(json);
    const { verifier, challenge } = newVerifier();
    const code = (await allow(client_id, ['filesystemRead'], { challenge })).searchParams.get('code') ?? '';
    const tokens = tokensOf(await redeem(client_id, { code, verifier }, { client_secret }));
    const first = tokens.refresh_token ?? '';
    const next = tokensOf(await refresh(client_id, first, { client_secret }));
    for (const wrong of [{}, { client_secret: `${client_secret}x` }])
      expect((await refresh(client_id, first, wrong)).json).toEqual({
        error: expect.any(String),
        error_description: expect.any(String),
      });
    expect(await world.refresh(first)).toMatchObject(refused);
    expect(tokensOf(await refresh(client_id, first, { client_secret }))).toMatchObject(next);
    expect(await use(next.access_token)).toBe(200);
  });

  it('after a refresh that was cut off in the middle is a first use', async () => {
    const world = await setUp();
    const first = await world.connect();
    const lost = refreshed(world, await world.refresh(first));
    // What a server leaves that is killed before the answer is stored.
    await world.run('update oauthRefreshToken set rotationReplayResponse = null');
    // The access token of the lost answer would hold for an hour.
    world.advance(2 * minuteMs);
    expect(await world.use(lost.access)).toBe(200);
    const next = refreshed(world, await world.refresh(first));
    expect(await world.use(next.access)).toBe(200);
    expect(await world.use(lost.access)).toBe(401);
    expect(await world.lines()).toBe(1);
  });

  it('is repeated, and undone, without touching another consent to the same client', async () => {
    const world = await setUp();
    const [one, other] = [await world.connect(), await world.connect()];
    const first = refreshed(world, await world.refresh(one));
    const second = refreshed(world, await world.refresh(other));
    expect(refreshed(world, await world.refresh(one))).toEqual(first);
    const { rows } = await world.run(`select id from oauthRefreshToken where rotatedAt is not null
      order by rotatedAt limit 1`);
    await world.run(`update oauthRefreshToken set rotationReplayResponse = null where id = '${rows[0]?.id}'`);
    refreshed(world, await world.refresh(one));
    expect(await world.use(second.access)).toBe(200);
    expect(refreshed(world, await world.refresh(other))).toEqual(second);
    refreshed(world, await world.refresh(second.refresh));
    expect(await world.lines()).toBe(2);
  });

  it('is not answered while the answer cannot be stored', async () => {
    const world = await setUp();
    const first = await world.connect();
    await world.run(`create trigger full before update of rotationReplayResponse on oauthRefreshToken
      when new.rotationReplayResponse is not null begin select raise(abort, 'no space'); end`);
    expect((await world.refresh(first)).status).toBeGreaterThanOrEqual(500);
    await world.run('drop trigger full');
    refreshed(world, await world.refresh(first));
    expect(await world.lines()).toBe(1);
  });
});

it('PK-08 a stored answer can be read with the old token alone', async () => {
  const world = await setUp();
  const first = await world.connect();
  const next = refreshed(world, await world.refresh(first));
  const { rows } = await world.run(
    'select rotationReplayResponse as answer from oauthRefreshToken where rotatedAt is not null',
  );
  const sealed = rows[0]?.answer ?? expect.fail();
  const key = readSecret(world.dataDir);
  const { rows: used } = await world.run('select id from oauthRefreshToken where rotatedAt is not null');
  const openedWith = (token: string) =>
    createSealer(token, 'drawbridge refresh answer').unseal(sealed, used[0]?.id ?? '');
  expect(await symmetricDecrypt({ key, data: openedWith(first.slice(4)) ?? '' })).toContain(next.access);
  for (const other of ['', next.refresh.slice(4), key]) expect(openedWith(other)).toBe(null);
  await expect(symmetricDecrypt({ key, data: sealed })).rejects.toThrow();
  for (const file of readdirSync(world.dataDir)) {
    const bytes = readFileSync(join(world.dataDir, file), 'latin1');
    for (const token of [next.access, next.refresh]) expect(bytes).not.toContain(token.slice(4));
  }
});

describe('three processes of one client that share its tokens', () => {
  /** A fixed sequence of numbers below 1. */
  const createDice = (seed: number) => () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };

  it(
    'need no second consent in 30 days of races, lost answers and restarts',
    { timeout: 60_000 },
    async () => {
      const world = await setUp();
      const dice = createDice(7);
      const first = await world.connect();
      let kept = { access: '', refresh: first };
      let stolen = '';
      for (let hours = 0; hours < 30 * 24;) {
        const pause = 1 + Math.floor(dice() * 24);
        hours += pause;
        world.advance(pause * hourMs);
        const before = kept.refresh;
        // All three begin with what the last one has stored; of each answer some are lost on the way.
        const answers = await Promise.all([1, 2, 3].map(() => world.refresh(before)));
        const arrived = answers.filter(() => dice() > 0.5);
        if (arrived.length === 0) {
          if (dice() > 0.7) await world.restart();
          world.advance(dice() * (minuteMs - 2_000));
          arrived.push(await world.refresh(before));
        }
        const tokens = arrived.map((got) => refreshed(world, got));
        kept = tokens[0] ?? expect.fail();
        expect(tokens).toEqual(tokens.map(() => kept));
        expect(await world.use(kept.access)).toBe(200);
        if (hours > 10 * 24 && stolen === '') stolen = before;
      }
      expect(await world.lines()).toBe(1);
      expect(await world.refresh(stolen)).toMatchObject(refused);
      expect(await world.use(kept.access)).toBe(401);
      expect(await world.lines()).toBe(0);
    },
  );
});
