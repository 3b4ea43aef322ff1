import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { sql, type Kysely } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSettingsStore as createAgentSettingsStore } from '../src/agent/settings/index.ts';
import { createPeopleStore } from '../src/auth/accounts/people.store.ts';
import { createClientsStore } from '../src/auth/clients/clients.store.ts';
import { createRefreshesStore } from '../src/auth/clients/refreshes.store.ts';
import { createForgetExpired } from '../src/auth/expired.store.ts';
import { digestStoredTokens } from '../src/auth/sessions/digest-stored.store.ts';
import { createSessionsStore } from '../src/auth/sessions/sessions.store.ts';
import { createTokensStore } from '../src/auth/tokens/tokens.store.ts';
import { openAccounts } from '../src/compose/open-accounts.ts';
import { configFrom } from '../src/config.ts';
import type { Schema, Store } from '../src/db/index.ts';
import { createManageMachines } from '../src/gateway/manage/manage-machines.store.ts';
import { createKeysStore } from '../src/gateway/pairing/keys.store.ts';
import { createRemovedUsersStore } from '../src/gateway/pairing/removed-users.store.ts';
import { createSwitchesStore } from '../src/gateway/settings/switches.store.ts';
import { createSettingsStore } from '../src/settings/index.ts';
import { newDataFolder } from './server.ts';
import { spyOn } from './spy-on-rights.ts';

type Functions = Record<string, (...args: never[]) => Promise<unknown>>;

/** A store, the arguments of each of its functions, and those that are cached outside of it. */
interface Walked {
  file: string;
  open(store: Store): Functions;
  calls: Record<string, unknown[]>;
  cached?: string[];
}

const all = { kind: 'all' } as const;
const info = {
  hostIdentifier: 'desk',
  rootPath: '/',
  toolList: { digest: 'tools', json: '[]' },
  categories: [],
  modes: null,
  daemon: null,
  connectedAt: null,
  initAt: 1,
};
const machine = {
  id: 'machine',
  userId: 'ada',
  info,
  name: null,
  replaces: false,
  after: null,
  maxMachines: 9,
};

const walked: Walked[] = [
  {
    file: 'gateway/pairing/keys.store.ts',
    open: createKeysStore,
    calls: {
      find: ['digest'],
      sessionsOf: ['machine'],
      pairingsOf: ['ada'],
      issueToken: [
        {
          kind: 'pairing',
          digest: 'digest',
          userId: 'ada',
          machineId: null,
          makesDefault: true,
          createdAt: 1,
          expiresAt: 9,
        },
      ],
      pair: [
        {
          tokenDigest: 'digest',
          session: { digest: 'session', seed: 's' },
          machine,
          makesDefault: true,
          at: 2,
        },
      ],
      saveInit: [machine],
      touch: ['digest', 3],
      touchMachines: [['machine'], 3],
      revokeMachine: ['machine', 3],
      revokeUser: ['ada', 3],
      revokeAll: [3],
      withKey: [['machine']],
      revokedSince: [0],
      forgetDead: [{ at: 4, idleSince: 3 }],
    },
  },
  {
    file: 'gateway/manage/manage-machines.store.ts',
    open: (store) => createManageMachines(store, systemClock),
    calls: {
      list: ['ada'],
      rename: [machine, 'desk'],
      setDefault: ['ada', machine],
      setPaused: [machine, 1],
      forgotten: ['ada'],
      numbers: ['ada', 0],
      disconnect: [machine, 1],
      forget: [machine, 1],
    },
  },
  {
    file: 'gateway/pairing/removed-users.store.ts',
    open: createRemovedUsersStore,
    calls: { add: ['ada'], all: [], finish: ['ada'] },
  },
  {
    file: 'gateway/settings/switches.store.ts',
    open: createSwitchesStore,
    calls: { isDisabled: [all], set: [all, true] },
  },
  {
    file: 'auth/accounts/people.store.ts',
    open: createPeopleStore,
    calls: { all: [], byId: ['ada'], disable: ['ada', 1], enable: ['ada'], remove: ['ada'] },
    cached: ['byId'],
  },
  {
    file: 'auth/sessions/sessions.store.ts',
    open: createSessionsStore,
    calls: { byKey: ['key'], live: [['key'], ''], ofUser: ['ada'], remove: ['ada', 'session'] },
  },
  {
    file: 'auth/tokens/tokens.store.ts',
    open: createTokensStore,
    calls: {
      byToken: ['token'],
      endOf: ['token'],
      ofUser: ['ada'],
      known: [['token']],
      used: ['token', { at: 1, from: null }],
      discard: ['ada', 'token'],
      update: ['ada', 'token', { name: 'Desk', permissions: { tools: ['shell'] } }],
      revoke: ['ada', 'token'],
      revokeAll: ['ada'],
    },
  },
  {
    file: 'auth/clients/clients.store.ts',
    open: createClientsStore,
    calls: {
      byId: ['client'],
      byToken: ['token'],
      ofUser: ['ada'],
      known: [['grant'], 0],
      used: ['consent', { at: 1, from: null }],
      setMachines: [{ userId: 'ada', clientId: 'client' }, null],
      remove: ['ada', null],
      setRedirects: ['client', []],
      forgetUnconnected: [1],
    },
  },
  {
    file: 'auth/clients/refreshes.store.ts',
    open: createRefreshesStore,
    calls: { undoUnanswered: ['refresh'], endEarlier: ['refresh'] },
  },
  {
    file: 'auth/expired.store.ts',
    open: (store) => ({
      forget: createForgetExpired({ store, clock: systemClock, log: { info: () => {} } }),
    }),
    calls: { forget: [new AbortController().signal] },
  },
  {
    file: 'auth/sessions/digest-stored.store.ts',
    open: (store) => ({ digest: () => digestStoredTokens(store) }),
    calls: { digest: [] },
  },
  {
    file: 'settings/settings.store.ts',
    open: createSettingsStore,
    calls: { read: [], write: [{ values: {}, revision: 1 }, 1] },
    cached: ['read'],
  },
  {
    file: 'agent/settings/settings.store.ts',
    open: createAgentSettingsStore,
    calls: { read: ['all'], write: ['all', { values: {}, sealedKeys: {} }, 1], remove: ['all'] },
    cached: ['read'],
  },
];

/** When something was used last says nothing about what it may do. */
const harmless = new Set(['used']);

const source = join(import.meta.dirname, '../src');

/** The sources, tests and migrations apart, where the pattern is found. */
const filesWith = (pattern: RegExp): string[] =>
  readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.includes('migrations'))
    .filter((name) => pattern.test(readFileSync(join(source, name), 'utf8')))
    .sort();

/** A row with that in it, and empty texts for what else must not be null. */
const insert = async (db: Kysely<Schema>, table: string, row: Record<string, string>) => {
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_info(${table}) where "notnull" = 1`.execute(db);
  const values = { ...Object.fromEntries(rows.map(({ name }) => [name, ''])), ...row };
  await db.withTables<Record<string, Record<string, string>>>().insertInto(table).values(values).execute();
};

/** A store with all tables, and rows that two functions write only where they find them. */
const openStore = async () => {
  const config = configFrom({ DATA_DIR: await newDataFolder() });
  const { store, auth, close } = await openAccounts({ config, clock: systemClock, writeLog: () => {} });
  onTestFinished(close);
  await sql`pragma foreign_keys = off`.execute(store.db);
  await insert(store.db, 'oauthRefreshToken', { token: 'refresh', rotationReplayExpiresAt: '2030-01-01' });
  await insert(store.db, 'session', { token: 'plain', expiresAt: '2999-01-01', userId: 'ben' });
  return { store, auth };
};

/** What the cached queries read. */
const tables = [
  'agentSettings',
  'apikey',
  'gatewayKeys',
  'gatewaySwitches',
  'oauthAccessToken',
  'oauthClient',
  'oauthConsent',
  'runtimeSettings',
  'session',
  'user',
];

describe('PK-09 a write of a table that is cached', () => {
  it('is a change of rights', async () => {
    const { store } = await openStore();
    const { spied, inside, read, changed, unsaid } = spyOn(store);
    const outside: string[] = [];
    for (const { file, open, calls, cached = [] } of walked) {
      const functions = open(spied);
      expect({ file, functions: Object.keys(functions) }).toEqual({ file, functions: Object.keys(calls) });
      for (const [name, args] of Object.entries(calls)) {
        unsaid.clear();
        const call = () => functions[name]?.(...(args as never[]));
        await (cached.includes(name) ? inside.run('cached', call) : call());
        if (harmless.has(name)) continue;
        outside.push(
          ...tables.filter((table) => unsaid.has(table)).map((table) => `${file} ${name}: ${table}`),
        );
      }
    }
    expect(outside).toEqual([]);
    // A reference names a table by its alias.
    const { rows } = await sql<{ name: string }>`select name from sqlite_master`.execute(spied.db);
    const named = rows.map(({ name }) => name).filter((name) => read.has(name));
    expect(named.sort()).toEqual(tables);
    expect(tables.filter((table) => !changed.has(table))).toEqual([]);
  });

  it('is a change of rights when the account library makes it', async () => {
    const { store, auth } = await openStore();
    const { adapter } = await auth.$context;
    const model = 'session';
    const where = [{ field: 'userId', value: 'ada' }];
    const data = {
      userId: 'ada',
      token: 'token',
      expiresAt: new Date(0),
      createdAt: new Date(0),
      updatedAt: new Date(0),
    };
    const writes: Record<string, () => Promise<unknown>> = {
      create: () => adapter.create({ model, data }),
      update: () => adapter.update({ model, where, update: { userAgent: 'x' } }),
      updateMany: () => adapter.updateMany({ model, where, update: { userAgent: 'x' } }),
      consumeOne: () => adapter.consumeOne({ model, where }),
      delete: () => adapter.delete({ model, where }),
      deleteMany: () => adapter.deleteMany({ model, where }),
      transaction: () => adapter.transaction((trx) => trx.deleteMany({ model, where })),
    };
    const silent: string[] = [];
    for (const [name, write] of Object.entries(writes)) {
      const before = store.version();
      await write();
      if (store.version() === before) silent.push(name);
    }
    expect(silent).toEqual([]);
    const before = store.version();
    await adapter.findMany({ model, where });
    expect(store.version()).toBe(before);
  });

  it('is in a store that was called above', () => {
    const known = new Set(walked.map(({ file }) => file));
    const writes = new RegExp(`(insertInto|updateTable|deleteFrom)\\(\\s*'(${tables.join('|')})'`);
    expect(filesWith(writes).filter((file) => !known.has(file))).toEqual([]);
    // These cache what a store has read; it is marked above.
    const caching = ['agent/create-agent.ts', 'agent/settings/owner.ts', 'settings/settings.ts'];
    expect(filesWith(/\bcacheRows\(/).filter((file) => !known.has(file))).toEqual(caching);
  });
});
