import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openAgentStore } from '../../../test/agent-store.ts';
import { callRepeats } from './0006-call-repeats.ts';
import { callClaims } from './0013-call-claims.ts';
import { hooks } from './0024-hooks.ts';
import { once } from './0031-once.ts';

const dayMs = 24 * 60 * 60 * 1_000;

it('keeps the idempotency keys and the accepted deliveries of earlier versions', async () => {
  const { db } = await openAgentStore();
  for (const table of ['onceKeys', 'hooks']) await db.schema.dropTable(table).execute();
  for (const { up } of [callRepeats, callClaims, hooks]) await up(db);
  await db.schema.alterTable('callRepeats').addColumn('scope', 'text').execute();
  await sql`insert into "callRepeats" ("key", "userId", "requestId", "callDigest", "at", "scope", "claimedUntil")
    values ('k1', 'ann', 'r1', 'd1', 5, '["key","ann"]', 7)`.execute(db);
  await sql`insert into "hooks" ("id", "userId", "name", "threadId", "groups", "secret", "createdAt")
    values ('h1', 'ben', 'deploys', 't1', '[]', '', 1)`.execute(db);
  await sql`insert into "hookDeliveries" values ('h1', 'id msg_1', 6), ('removed', 'id msg_2', 6)`.execute(
    db,
  );
  await once.up(db);
  expect(await db.selectFrom('onceKeys').selectAll().orderBy('at').execute()).toEqual([
    {
      key: 'k1',
      scope: '["key","ann"]',
      digest: 'd1',
      subject: 'r1',
      userId: 'ann',
      at: 5,
      endsAt: 5 + dayMs,
      claimedUntil: 7,
    },
    {
      key: 'h1 id msg_1',
      scope: 'hook h1',
      digest: '',
      subject: 'h1',
      userId: 'ben',
      at: 6,
      endsAt: 6 + dayMs,
      claimedUntil: null,
    },
  ]);
});
