import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentTables } from '../schema.ts';
import { migrate } from '../migrate.ts';
import { openDatabase } from './open-database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'db-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the store', () => {
  it('PS-06 is durable, waits for a lock, and enforces references', async () => {
    const { db, close } = openDatabase({ url: undefined, dataDir: folder });
    const pragma = async (name: string) =>
      Object.values(
        (await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db)).rows[0] ?? {},
      )[0];
    const values = [];
    for (const name of ['journal_mode', 'synchronous', 'wal_autocheckpoint', 'busy_timeout', 'foreign_keys'])
      values.push(await pragma(name));
    expect(values).toEqual(['wal', 2, 4_000, 5_000, 1]);
    await close();
  });

  it('waits while another connection has locked the whole file', async () => {
    const place = { url: undefined, dataDir: folder };
    const code = `const { parentPort, workerData: [libsql, file] } = require('node:worker_threads');
      const other = new (require(libsql))(file);
      other.exec('create table one (x); begin exclusive');
      parentPort.postMessage('locked');
      setTimeout(() => other.close(), 300);`;
    const workerData = [createRequire(import.meta.url).resolve('libsql'), join(folder, 'drawbridge.db')];
    const other = new Worker(code, { eval: true, workerData });
    await once(other, 'message');
    await openDatabase(place).close();
    await other.terminate();
  });

  it.each([
    ['in the data folder, which is made for its owner alone', undefined, 'drawbridge.db'],
    ['where the url says', 'file:', 'other.db'],
  ])('lies %s', async (_name, scheme, name) => {
    const dataDir = join(folder, 'data');
    const file = scheme === undefined ? join(dataDir, name) : join(folder, name);
    const { db, close } = openDatabase({ url: scheme && `${scheme}${file}`, dataDir });
    await migrate(db);
    const modes = [file, `${file}-wal`, `${file}-shm`, dataDir].map((path) => statSync(path).mode & 0o777);
    await close();
    expect(modes).toEqual([0o600, 0o600, 0o600, 0o700]);
  });

  it('PS-04 is restricted to its owner, also if an earlier server left it open', async () => {
    const file = join(folder, 'drawbridge.db');
    for (const name of [file, `${file}-wal`, `${file}-shm`]) writeFileSync(name, '', { mode: 0o644 });
    const { db, close } = openDatabase({ url: undefined, dataDir: folder });
    await migrate(db);
    const modes = [file, `${file}-wal`, `${file}-shm`].map((path) => statSync(path).mode & 0o777);
    await close();
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  });

  it('refuses a url that it cannot serve, without repeating it', () => {
    const open = () => openDatabase({ url: 'mysql://me:secret@host/db', dataDir: folder });
    expect(open).toThrow('DATABASE_URL names an unsupported store. Leave it empty, or set file:<path>');
  });
});

describe('migrations', () => {
  it('PS-08 run once, also when two servers start together', async () => {
    const stores = [1, 2].map(() => openDatabase({ url: undefined, dataDir: folder }));
    for (const { db } of stores) await migrate(db);
    await Promise.all(stores.map(({ db }) => migrate(db)));
    const names = (await stores[0]?.db.introspection.getTables())?.map((table) => table.name);
    expect(names?.filter((name) => !name.startsWith('agentWords_'))).toEqual([
      ...[...agentTables, 'agentSettings', 'agentWords'].toSorted(),
      'calls',
      'channelAccounts',
      'channelCodes',
      'channelGroups',
      'channelMessages',
      'channelQuestions',
      'channelReplies',
      'channelRules',
      'channelSenders',
      'clientMessages',
      'companions',
      'confirmations',
      'gatewayKeys',
      'gatewaySwitches',
      'hooks',
      'jobLeases',
      'machines',
      'meta',
      'nodePushTokens',
      'notificationSettings',
      'onceKeys',
      'presence',
      'pushAnswers',
      'pushSubscriptions',
      'removedUsers',
      'rpcSessions',
      'rpcTickets',
      'runtimeSettings',
      'servers',
      'toolLists',
      'userSettings',
      'visits',
    ]);
    await Promise.all(stores.map(({ close }) => close()));
  });

  it('PS-08 of a later version of the server are refused', async () => {
    const { db, close } = openDatabase({ url: undefined, dataDir: folder });
    await migrate(db);
    await sql`insert into kysely_migration values ('9999-later', '2030-01-01T00:00:00.000Z')`.execute(db);
    await expect(migrate(db)).rejects.toThrow('previously executed migration 9999-later is missing');
    await close();
  });

  it('PS-13 leave every time to the clock of the server', async () => {
    const { db, close } = openDatabase({ url: undefined, dataDir: folder });
    await migrate(db);
    const tables = await db.introspection.getTables();
    const columns = tables.flatMap((table) => table.columns);
    expect(columns.filter((column) => column.name.endsWith('At')).length).toBeGreaterThan(5);
    const byStore = columns.filter((column) => column.name.endsWith('At') && column.hasDefaultValue);
    // Machines of before the column have not changed since: 0.
    expect(byStore.map(({ name }) => name)).toEqual(['changedAt']);
    await close();
  });

  it('PS-08 that fail leave the store as it was', async () => {
    const { db, close } = openDatabase({ url: undefined, dataDir: folder });
    await sql`create table confirmations (id text)`.execute(db);
    await expect(migrate(db)).rejects.toThrow();
    expect((await db.introspection.getTables()).map((table) => table.name)).toEqual(['confirmations']);
    await close();
  });
});
