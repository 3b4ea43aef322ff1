import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newGatewayFolder } from '../../../test/new-store.ts';
import type { OpenDatabase } from '../../db/index.ts';
import { itOnSqlite, openTestStore } from '../../../test/store-place.ts';
import { createToolList } from '../machines/tool-list.ts';
import { holds } from './keys.ts';
import { createKeys, type Keys } from './keys.ts';
import { createKeysStore } from './keys.store.ts';
import { defaultLimits } from '../limits.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const forbidden = { code: 'FORBIDDEN', message: 'Forbidden' };

let folder: string;
let database: OpenDatabase;
let clock = createFakeClock();

beforeEach(async () => {
  folder = await newGatewayFolder();
  clock = createFakeClock();
  database = await openTestStore(folder);
});
afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

const make = (gatewayApiKey?: string, secret = 'one'): Keys =>
  createKeys({ clock, limits: defaultLimits, store: createKeysStore(database), gatewayApiKey, secret });

const machine = (userId: string) => ({
  id: `machine-of-${userId}`,
  userId,
  info: {
    hostIdentifier: 'host',
    rootPath: '/r',
    toolList: createToolList([]),
    categories: [],
    modes: null,
    daemon: null,
    connectedAt: null,
    initAt: clock.now(),
  },
  replaces: false,
  after: null,
  name: null,
  maxMachines: 20,
  graceUntil: 0,
});

/** As an init does it. */
const pair = async (keys: Keys, token: string) => {
  const owner = await keys.owner(token);
  if (owner.kind !== 'pairing') throw new Error('not a pairing token');
  return (await keys.pair(owner, machine(owner.userId))).sessionKey;
};

describe('a key', () => {
  const at = { now: 1_000, sessionKeyIdleMs: 100 };
  const token = { kind: 'pairing', createdAt: 500, expiresAt: 2_000, usedAt: null, revokedAt: null } as const;
  const session = { ...token, kind: 'session', expiresAt: null } as const;
  it.each([
    ['a token in time', { ...token, expiresAt: 1_001 }, true],
    ['a token at its end', { ...token, expiresAt: 1_000 }, false],
    ['a token from the future', { ...token, createdAt: 1_001 }, false],
    ['a token that was used', { ...token, usedAt: 600 }, false],
    ['a token that was revoked', { ...token, revokedAt: 600 }, false],
    ['a token without an end', { ...token, expiresAt: null }, false],
    ['a session in use', { ...session, lastUsedAt: 901 }, true],
    ['a session left alone', { ...session, lastUsedAt: 900 }, false],
    ['a session that was never used', { ...session, createdAt: 901 }, true],
    ['a session that was never used, left alone', { ...session, createdAt: 900 }, false],
    ['a revoked session', { ...session, lastUsedAt: 1_000, revokedAt: 999 }, false],
  ] as const)('%s', (_name, key, expected) => {
    expect(holds({ lastUsedAt: null, ...key }, at)).toBe(expected);
  });
});

describe('keys', () => {
  it.each([
    ['4:59.9', 5 * minute - 1, true],
    ['5:00.0', 5 * minute, false],
    ['5:00.1', 5 * minute + 1, false],
  ])('a token after %s', async (_name, ms, good) => {
    const keys = make();
    const { token } = await keys.issue('ada');
    clock.advance(ms);
    const paired = pair(keys, token);
    if (good) expect(await paired).toMatch(/^sess_[\w-]{32}$/);
    else await expect(paired).rejects.toMatchObject(forbidden);
  });

  it('refuses every key that does not hold with the same words', async () => {
    const keys = make('e'.repeat(32));
    const { token } = await keys.issue('ada');
    await pair(keys, token);
    const texts = [];
    for (const key of [
      '',
      'gw_',
      `gw_${'x'.repeat(32)}`,
      `sess_${'x'.repeat(32)}`,
      token,
      'e'.repeat(31),
      '__proto__',
    ]) {
      texts.push(await keys.owner(key).catch((error: unknown) => String(error)));
    }
    expect(new Set(texts)).toEqual(new Set(['CodedError: Forbidden']));
  });

  it('lets one of fifty inits at once have the token', async () => {
    const keys = make();
    const { token } = await keys.issue('ada');
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => pair(keys, token)));
    expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    const rows = await database.db
      .selectFrom('gatewayKeys')
      .select('digest')
      .where('kind', '=', 'session')
      .execute();
    expect(rows).toHaveLength(1);
  });

  it('lets one of two servers on one store have the token', async () => {
    const [one, other] = [make(), make()];
    const { token } = await one.issue('ada');
    const tries = await Promise.allSettled([pair(one, token), pair(other, token)]);
    expect(tries.map((result) => result.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  itOnSqlite('keeps digests alone', async () => {
    const keys = make();
    const { token } = await keys.issue('ada');
    const session = await pair(keys, token);
    await database.close();
    const bytes = ['drawbridge.db', 'drawbridge.db-wal']
      .filter((name) => existsSync(join(folder, name)))
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
    expect([bytes.includes('gatewayKeys'), bytes.includes(token), bytes.includes(session)]).toEqual([
      true,
      false,
      false,
    ]);
    database = await openTestStore(folder);
  });

  it('shows the live session key at each server, and after a restart', async () => {
    const before = make();
    const session = await pair(before, (await before.issue('ada')).token);
    const after = make();
    expect(await after.owner(session)).toEqual({
      kind: 'session',
      userId: 'ada',
      machineId: 'machine-of-ada',
      digest: expect.any(String),
    });
    const link = await after.issueAsSpecified('ada', 'machine-of-ada');
    expect(link).toEqual({ token: session, expiresAt: null });
  });

  it('shows the unused token at each server, and after a restart', async () => {
    const link = await make().issue('ada');
    expect(await make().issue('ada')).toEqual(link);
  });

  it('with another secret keeps keys that are in use, and shows no key: an unused token is revoked', async () => {
    const before = make();
    const session = await pair(before, (await before.issue('ada')).token);
    const { token } = await before.issue('ada');
    const after = make(undefined, 'two');
    expect(await after.owner(session)).toMatchObject({ kind: 'session', userId: 'ada' });
    const fresh = await after.issue('ada');
    expect(fresh.token).not.toBe(token);
    await expect(after.owner(token)).rejects.toMatchObject(forbidden);
    expect(await after.owner(fresh.token)).toMatchObject({ kind: 'pairing', userId: 'ada' });
  });

  it('PK-01 a pairing token from the future is no good, after the clock stepped back or from a copy', async () => {
    const keys = make();
    const { token } = await keys.issue('ada');
    clock.advance(-1);
    await expect(keys.owner(token)).rejects.toMatchObject(forbidden);
    await expect(pair(keys, token)).rejects.toMatchObject(forbidden);
    const next = await keys.issue('ada');
    expect([next.token === token, await keys.owner(next.token)]).toEqual([
      false,
      expect.objectContaining({ kind: 'pairing' }),
    ]);
  });

  it.each([
    ['used after 29 days, alive after 58', 29 * day, true],
    ['left alone for 30 days', 30 * day, false],
  ])('a session %s', async (_name, idleMs, good) => {
    const keys = make();
    const session = await pair(keys, (await keys.issue('ada')).token);
    clock.advance(idleMs);
    const first = keys.owner(session);
    if (!good) return expect(first).rejects.toMatchObject(forbidden);
    await first;
    clock.advance(idleMs);
    expect(await keys.owner(session)).toMatchObject({ userId: 'ada' });
  });

  it('counts an open stream as use', async () => {
    const keys = make();
    const session = await pair(keys, (await keys.issue('ada')).token);
    clock.advance(29 * day);
    await keys.touchMachines(['machine-of-ada']);
    clock.advance(29 * day);
    expect(await keys.owner(session)).toMatchObject({ userId: 'ada' });
  });

  it.each([
    ['the environment key', 'k'.repeat(32), { kind: 'env', userId: 'env-gateway' }],
    ['the environment key with a letter more', `${'k'.repeat(32)}k`, undefined],
    ['the environment key with another letter', `${'k'.repeat(31)}l`, undefined],
  ])('%s', async (_name, key, owner) => {
    const paired = await make('k'.repeat(32))
      .owner(key)
      .catch(() => undefined);
    expect(paired).toEqual(owner);
  });
});

/** What must hold, in a few lines: compared with the real thing over random scripts. */
interface Model {
  tokens: Map<string, { userId: string; expiresAt: number; spent: boolean }>;
  sessions: Map<string, { userId: string; revoked: boolean }>;
}

const users = ['ada', 'ben'];
const command = fc.oneof(
  fc.record({ type: fc.constant('link' as const), user: fc.constantFrom(...users) }),
  fc.record({ type: fc.constant('pair' as const), which: fc.nat(9) }),
  fc.record({ type: fc.constant('revoke' as const), user: fc.constantFrom(...users) }),
  fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(minute, 4 * minute, 5 * minute) }),
  fc.record({ type: fc.constant('restart' as const) }),
);

describe('the life of keys', () => {
  it('agrees with its model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (script) => {
        await database.db.deleteFrom('gatewayKeys').execute();
        let keys = make();
        const model: Model = { tokens: new Map(), sessions: new Map() };
        const liveToken = (userId: string) =>
          [...model.tokens].find(
            ([, one]) => one.userId === userId && !one.spent && clock.now() < one.expiresAt,
          )?.[0];
        const liveSession = (userId: string) =>
          [...model.sessions].find(([, one]) => one.userId === userId && !one.revoked)?.[0];

        for (const item of script) {
          switch (item.type) {
            case 'link': {
              const { token } = await keys.issue(item.user);
              if (token === liveSession(item.user) || token === liveToken(item.user)) break;
              expect([...model.tokens.keys(), ...model.sessions.keys()]).not.toContain(token);
              for (const one of model.tokens.values()) if (one.userId === item.user) one.spent = true;
              model.tokens.set(token, {
                userId: item.user,
                expiresAt: clock.now() + 5 * minute,
                spent: false,
              });
              break;
            }
            case 'pair': {
              const [token, known] = [...model.tokens][item.which] ?? [];
              if (token === undefined || known === undefined) break;
              const good = liveToken(known.userId) === token;
              const session = await pair(keys, token).catch(() => undefined);
              expect(session !== undefined).toBe(good);
              if (session === undefined) break;
              known.spent = true;
              for (const one of model.sessions.values()) if (one.userId === known.userId) one.revoked = true;
              model.sessions.set(session, { userId: known.userId, revoked: false });
              break;
            }
            case 'revoke':
              await keys.revokeMachine({ id: `machine-of-${item.user}` });
              for (const one of model.sessions.values()) if (one.userId === item.user) one.revoked = true;
              break;
            case 'wait':
              clock.advance(item.ms);
              break;
            case 'restart':
              keys = make();
              break;
            default:
              item satisfies never;
          }
          for (const [session, { userId, revoked }] of model.sessions) {
            const owner = await keys.owner(session).catch(() => undefined);
            expect(owner?.userId).toBe(revoked ? undefined : userId);
          }
          for (const [token, { userId }] of model.tokens) {
            const owner = await keys.owner(token).catch(() => undefined);
            expect(owner?.userId).toBe(liveToken(userId) === token ? userId : undefined);
          }
        }
      }),
      { numRuns: 40 },
    );
  });
});
