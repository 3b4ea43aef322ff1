import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { insert } from '@drawbridge/agent';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openAccounts } from '../../src/compose/open-accounts.ts';
import { configFrom } from '../../src/config.ts';
import { createAgentStore } from '../../src/agent/store/agent.store.ts';
import { createActions } from '../../src/commands/actions.ts';
import { openStore } from '../../src/db/index.ts';
import { messageRow, threadRow } from '../../../../packages/agent/test/rows.ts';
import { codeOf, signIn } from '../account.ts';
import { cookiesOf, owner, quickPasswords, signUpOwner, startServer } from '../server.ts';
import { newDatabase } from './databases.ts';

const openOn = (url: string | undefined, dataDir = mkdtempSync(join(tmpdir(), 'drawbridge-'))) =>
  openAccounts({
    config: configFrom({ DATA_DIR: dataDir, ...(url !== undefined && { DATABASE_URL: url }) }),
    clock: systemClock,
    writeLog: () => {},
    passwords: quickPasswords,
  });

it('lets four servers start at once on an empty database', async () => {
  const url = await newDatabase();
  const opened = await Promise.all(Array.from({ length: 4 }, () => openOn(url)));
  const [first] = opened;
  if (!first) throw new Error('None has opened');
  await first.accounts.createOwner({ setupToken: first.setupToken, ...owner });
  expect(await Promise.all(opened.map(({ accounts }) => accounts.setupNeeded()))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  await Promise.all(opened.map(({ close }) => close()));
});

it('takes over all of a SQLite store, and then serves it', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'drawbridge-'));
  const source = await openOn(undefined, dataDir);
  await source.accounts.createOwner({ setupToken: source.setupToken, ...owner });
  const agent = createAgentStore({ ...source.store, onError: () => expect.unreachable() });
  const message = (seq: number, text: string) =>
    insert('agentMessages', messageRow('ann', seq, { parts: [{ type: 'text', text }] }));
  // The server deletes chats that were not used for long, as soon as it has started.
  const thread = threadRow('ann', 't1', { updatedAt: systemClock.now() });
  await agent.commit([insert('agentThreads', thread), message(1, 'Größe\0 1')], 'synced');
  await agent.commit(
    Array.from({ length: 600 }, (_, at) => message(at + 2, `word${at}`)),
    'synced',
  );
  await source.close();

  const url = await newDatabase();
  const printed: string[] = [];
  const actions = createActions({
    config: configFrom({ DATA_DIR: dataDir }),
    cwd: dataDir,
    print: (text) => void printed.push(text),
    note: () => {},
  });
  await actions.copyStore(url);
  expect(printed.join('')).toMatch(/^Copied 60\d rows of \d+ tables\n$/);
  await expect(actions.copyStore(url)).rejects.toThrow('The target is not empty');

  const server = await startServer({ dataDir, environment: { DATABASE_URL: url } });
  const { status } = await server.send('/api/auth/sign-in/email', { method: 'POST', body: owner });
  expect(status).toBeLessThan(500);
  const target = await openStore({ url, dataDir });
  const copied = createAgentStore({ ...target, onError: () => expect.unreachable() });
  expect(await copied.threadsWith('ann', ['große'])).toEqual(new Set(['t1']));
  expect(await copied.threadsWith('ann', ['word59'])).toEqual(new Set(['t1']));
  expect(await copied.threadsWith('ben', ['word59'])).toEqual(new Set());
  const [first] = await copied.find('agentMessages', { userId: 'ann', seq: 1 });
  expect(first?.parts).toEqual([{ type: 'text', text: 'Größe\0 1' }]);
  await sql`delete from "agentThreads"`.execute(target.db);
  expect(await copied.threadsWith('ann', ['word59'])).toEqual(new Set());
  await target.close();
});

it('says that the store does not answer where an account cannot be read or a session stored', async () => {
  const url = await newDatabase();
  const server = await startServer({ environment: { DATABASE_URL: url } });
  await signUpOwner(server);
  const cookie = cookiesOf(await signIn(server, owner));
  const { db, close } = await openStore({ url, dataDir: server.dataDir });
  // Longer than the server waits for a lock.
  const [signedIn, asked] = await db.transaction().execute(async (locked) => {
    await sql`lock table "session" in access exclusive mode`.execute(locked);
    const headers = { cookie };
    return Promise.all([signIn(server, owner), server.send('/trpc/tokens.list', { headers })]);
  });
  await close();
  expect([signedIn.status, signedIn.json]).toEqual([
    503,
    expect.objectContaining({ code: 'STORE_UNAVAILABLE' }),
  ]);
  expect([asked.status, codeOf(asked)]).toEqual([503, 'STORE_UNAVAILABLE']);
  expect((await signIn(server, owner)).status).toBe(200);
});
