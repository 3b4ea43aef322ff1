import { clientLimits } from '@drawbridge/contracts/clients';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { oauthOf, publicUrl, resource } from '../../test/oauth.ts';
import { signUpOwner, startServer } from '../../test/server.ts';
import { itOnSqlite, openTestStore } from '../../test/store-place.ts';
import { createForgetExpired } from './expired.store.ts';

const staying = { scope: 'filesystemRead offline_access' };
const refreshMs = clientLimits.refreshSeconds * 1_000;

const setUp = async () => {
  const server = await startServer({ environment: { PUBLIC_URL: publicUrl } });
  const cookie = await signUpOwner(server);
  const { close, ...store } = await openTestStore(server.dataDir);
  onTestFinished(close);
  const clock = createFakeClock(systemClock.now());
  const told: object[] = [];
  const log = { info: (what: object) => void told.push(what) };
  const forget = createForgetExpired({ store, clock, log });
  return {
    ...oauthOf(server, { cookie, resource }),
    clock,
    told,
    db: store.db,
    count: async (table: string) => {
      const { rows } = await sql<{
        count: number;
      }>`select count(*) as count from ${sql.table(table)}`.execute(store.db);
      return rows[0]?.count;
    },
    expire: (table: string, at: number) =>
      sql`update ${sql.table(table)} set "expiresAt" = ${new Date(at).toISOString()}`.execute(store.db),
    run: async () => {
      let over = false;
      const done = forget(new AbortController().signal).finally(() => {
        over = true;
      });
      while (!over) await clock.settle(50);
      await done;
    },
  };
};

it.each([
  ['session', 0],
  ['oauthAccessToken', refreshMs],
  ['oauthRefreshToken', refreshMs],
])('PS-12 rows of %s go once nothing that is open needs them', async (table, neededMs) => {
  const { connect, run, expire, count, clock, told } = await setUp();
  await connect(['filesystemRead'], staying);
  await expire(table, clock.now() - neededMs + 60_000);
  await run();
  expect(await count(table)).toBe(1);
  await expire(table, clock.now() - neededMs);
  await run();
  expect(await count(table)).toBe(0);
  expect(told).toEqual([{ table, rows: 1 }]);
});

itOnSqlite('PS-12 the answer to a replaced refresh token goes after its minute', async () => {
  const { connect, run, clock, refresh, db } = await setUp();
  const { id, tokens } = await connect(['filesystemRead'], staying);
  await refresh(id, tokens.refresh_token ?? '');
  const answers = async () =>
    (await sql`select 1 from oauthRefreshToken where rotationReplayResponse is not null`.execute(db)).rows;
  await run();
  expect(await answers()).toHaveLength(1);
  clock.advance(2 * clientLimits.refreshAgainSeconds * 1_000);
  await run();
  expect(await answers()).toEqual([]);
});

itOnSqlite('PS-12 invitations go when they have expired, in steps of 500', async () => {
  const { run, count, clock, db, told } = await setUp();
  const now = new Date(clock.now()).toISOString();
  const later = new Date(clock.now() + 60_000).toISOString();
  await sql`with recursive numbers(at) as (select 0 union all select at + 1 from numbers where at < 599)
    insert into invitation select 'i' || at, 'd' || at, 'ada', ${now}, iif(at = 0, ${later}, ${now}) from numbers`.execute(
    db,
  );
  await run();
  expect(await count('invitation')).toBe(1);
  expect(told).toEqual([{ table: 'invitation', rows: 599 }]);
});

it('PS-12 a client stays connected when the session in which it was allowed is gone', async () => {
  const { connect, run, expire, clock, refresh, use, tokensOf } = await setUp();
  const { id, tokens } = await connect(['filesystemRead'], staying);
  await expire('session', clock.now());
  await run();
  expect(await use(tokens.access_token)).toBe(200);
  const next = tokensOf(await refresh(id, tokens.refresh_token ?? ''));
  expect(await use(next.access_token)).toBe(200);
});
