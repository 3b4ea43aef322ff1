import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTokenInput, tokenLimits, type CreateTokenInput } from '@drawbridge/contracts/tokens';
import { sleep, systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAccess } from '../../../test/access.ts';
import { openDatabase } from '../../db/index.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const input = (given: Partial<CreateTokenInput> = {}) => createTokenInput.parse({ name: 'Desk', ...given });

describe('an access token', () => {
  it('is shown once, reads only, holds for 90 days, and is kept as a digest', async () => {
    const { tokens, userId, clock, dataDir } = await openAccess();
    const { token, ...made } = await tokens.create(userId, input());
    expect(token).toMatch(/^dbt_[A-Za-z0-9_-]{32}$/);
    expect(made).toEqual({
      id: expect.any(String),
      name: 'Desk',
      scopes: ['filesystemRead'],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      lastUsedAt: null,
      lastUsedFrom: null,
    });
    const days = (Date.parse(made.expiresAt) - clock.now()) / dayMs;
    expect(Math.round(days)).toBe(tokenLimits.defaultDays);
    expect(await tokens.list(userId)).toEqual([made]);
    for (const file of ['drawbridge.db', 'drawbridge.db-wal'])
      expect(readFileSync(join(dataDir, file)).includes(token)).toBe(false);
  });

  it('says whose it is and what it may use', async () => {
    const { tokens, access, userId } = await openAccess();
    const made = await tokens.create(userId, input({ scopes: ['shell', 'filesystemRead', 'shell'] }));
    expect(await access.verify(made.token)).toEqual({
      kind: 'token',
      tokenId: made.id,
      userId,
      name: 'Desk',
      scopes: ['filesystemRead', 'shell'],
    });
  });

  it.each([
    ['no text', () => ''],
    ['a letter more', (token: string) => `${token}x`],
    ['a letter less', (token: string) => token.slice(0, -1)],
    ['another letter', (token: string) => token.slice(0, -1) + (token.endsWith('a') ? 'b' : 'a')],
    ['other case', (token: string) => token.toUpperCase()],
    ['the digest that is kept', () => 'dbt_digest'],
    ['a very long one', (token: string) => token.repeat(1_000)],
    ['a pairing token', () => `gw_${'x'.repeat(32)}`],
    ['a session key', () => `sess_${'x'.repeat(32)}`],
  ])('MC-04 holds as it is, and not as %s', async (_, change) => {
    const { tokens, access, userId } = await openAccess();
    const { token } = await tokens.create(userId, input());
    expect(await access.verify(change(token))).toBeNull();
    expect(await access.verify(token)).not.toBeNull();
  });

  it('MC-04 ends with its days, also for what is open with it', async () => {
    const { tokens, access, userId, clock, problems } = await openAccess();
    const { token, expiresAt } = await tokens.create(userId, input({ expiresInDays: 1 }));
    clock.advance(Date.parse(expiresAt) - clock.now() - 1);
    const granted = await access.verify(token);
    if (!granted) throw new Error('The token does not hold');
    const ended = new Promise<void>((resolve) => access.onRevoked(granted, resolve));
    clock.advance(1);
    expect([await access.verify(token), await tokens.list(userId)]).toEqual([null, []]);
    expect([await access.whyRefused(token), await access.whyRefused(`${token}x`)]).toEqual([
      'expired',
      'unknown',
    ]);
    clock.advance(1_000);
    await ended;
    expect(problems).toEqual([]);
  });

  it('MC-04 ends when it is revoked, for what is open with it too, and no other does', async () => {
    const { tokens, access, userId } = await openAccess();
    const first = await tokens.create(userId, input());
    const second = await tokens.create(userId, input({ name: 'Other' }));
    const ended: string[] = [];
    for (const { token } of [first, second]) {
      const granted = await access.verify(token);
      if (granted) access.onRevoked(granted, () => ended.push(granted.name));
    }
    await tokens.revoke(userId, first.id);
    expect(ended).toEqual(['Desk']);
    expect([await access.verify(first.token), (await access.verify(second.token))?.name]).toEqual([
      null,
      'Other',
    ]);
    await tokens.revokeAll(userId);
    expect(ended).toEqual(['Desk', 'Other']);
  });

  it('MC-21 what is open ends where it may do less, and not where it may do more', async () => {
    const { tokens, access, userId } = await openAccess();
    const { id, token } = await tokens.create(userId, input({ scopes: ['shell', 'filesystemRead'] }));
    const ended: string[] = [];
    const open = async (name: string) => {
      const granted = await access.verify(token);
      if (granted) access.onRevoked(granted, () => ended.push(name));
    };
    const change = async (...scopes: CreateTokenInput['scopes']) =>
      (await tokens.update(userId, { id, name: 'Desk', scopes })).isLess;
    await open('first');
    expect([await change('shell', 'filesystemRead', 'browser'), ended]).toEqual([false, []]);
    await open('second');
    // What was opened with less than is taken now goes on.
    expect([await change('shell', 'filesystemRead'), ended]).toEqual([true, ['second']]);
    expect(await access.verify(token)).toMatchObject({ scopes: ['filesystemRead', 'shell'] });
    expect([await change('shell'), ended]).toEqual([true, ['second', 'first']]);
  });

  it('is changed by its person alone, and to what that person could give', async () => {
    const { tokens, userId } = await openAccess();
    const { id } = await tokens.create(userId, input());
    const given = { id, name: 'Desk', scopes: ['shell' as const] };
    await expect(tokens.update('bob', given)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(tokens.update(userId, { ...given, machines: ['none'] })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    await tokens.revoke(userId, id);
    await expect(tokens.update(userId, given)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('MC-04 is known as revoked, and of the older ones of a person only 200 are', async () => {
    const { tokens, access, userId, db, clock } = await openAccess();
    const made = [];
    for (let at = 0; at < 3; at += 1) {
      made.push(await tokens.create(userId, input()));
      // The account library dates them by the real clock, and they are listed by date.
      await sleep(systemClock, 2);
    }
    const [first, second, third] = made.map(({ token }) => token);
    if (first === undefined || second === undefined || third === undefined) throw new Error('3 tokens');
    await access.verify(first, '192.0.2.1');
    await tokens.revoke(userId, made[0]?.id ?? '');
    const known = async () => Promise.all([first, second, third, `${first}x`].map(access.whyRefused));
    expect([await access.verify(first), await known()]).toEqual([
      null,
      ['revoked', 'unknown', 'unknown', 'unknown'],
    ]);
    expect((await tokens.list(userId)).map(({ id }) => id)).toEqual([made[2]?.id, made[1]?.id]);
    await expect(tokens.revoke(userId, made[0]?.id ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await tokens.revokeAll(userId);
    expect(await known()).toEqual(['revoked', 'revoked', 'revoked', 'unknown']);

    const own = db.withTables<{ apikey: Record<string, unknown> }>();
    const row = await own.selectFrom('apikey').selectAll().limit(1).executeTakeFirstOrThrow();
    expect(row).toMatchObject({ enabled: 0, lastUsedFrom: null });
    const later = new Date(clock.now() + dayMs).toISOString();
    for (let at = 0; at < 200; at += 1)
      await own
        .insertInto('apikey')
        .values({ ...row, id: `later-${at}`, key: `later-${at}`, createdAt: later })
        .execute();
    await tokens.revokeAll(userId);
    expect(await known()).toEqual(['unknown', 'unknown', 'unknown', 'unknown']);
  });

  it('is not seen or revoked by another person', async () => {
    const { tokens, access, userId } = await openAccess();
    const { token, id } = await tokens.create(userId, input());
    await expect(tokens.revoke('somebody', id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([await tokens.list('somebody'), await access.verify(token)]).toEqual([
      [],
      expect.objectContaining({ userId }),
    ]);
  });

  it.each([
    ['its user was deleted', 'user', null],
    ['it was switched off', 'apikey', { enabled: 0 }],
    ['it was deleted', 'apikey', null],
  ] as const)('PK-11 holds no more half a second after %s in another process', async (_, table, change) => {
    const { tokens, access, userId, dataDir, clock } = await openAccess();
    const { db, close } = openDatabase({ url: undefined, dataDir });
    onTestFinished(close);
    const { token } = await tokens.create(userId, input());
    const granted = await access.verify(token);
    if (!granted) throw new Error('The token does not hold');
    const ended = new Promise<void>((resolve) => access.onRevoked(granted, resolve));
    // Tables of better-auth, which our schema does not name.
    const own = db.withTables<{ user: { id: string }; apikey: { enabled: number } }>();
    if (change === null) await own.deleteFrom(table).execute();
    else await own.updateTable('apikey').set(change).execute();
    clock.advance(500);
    expect(await access.verify(token)).toBeNull();
    clock.advance(1_000);
    await ended;
  });

  it('shows when and from where it was last used', async () => {
    const { tokens, access, userId, clock } = await openAccess();
    const { token } = await tokens.create(userId, input());
    const uses = [];
    for (const from of ['192.0.2.1', '192.0.2.2', undefined]) {
      clock.advance(1_000);
      await access.verify(token, from);
      const [seen] = await tokens.list(userId);
      uses.push([seen?.lastUsedFrom, Date.parse(seen?.lastUsedAt ?? '') - clock.now()]);
    }
    expect(uses).toEqual([
      ['192.0.2.1', 0],
      ['192.0.2.2', 0],
      [null, 0],
    ]);
  });

  it('is one of 50 at most, however many are made at once', async () => {
    const { tokens, userId } = await openAccess();
    for (let at = 1; at < tokenLimits.perUser - 1; at += 1) await tokens.create(userId, input());
    const tries = await Promise.allSettled(Array.from({ length: 6 }, () => tokens.create(userId, input())));
    const refused = tries.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
    expect(new Set(refused)).toEqual(new Set(['TOO_MANY_TOKENS']));
    const kept = await tokens.list(userId);
    expect(kept.length).toBe(tokenLimits.perUser - 2 + tries.length - refused.length);
    expect(kept.length).toBeLessThanOrEqual(tokenLimits.perUser);
  });

  it.each([
    ['no name', { name: ' ' }],
    ['a name of 65 letters', { name: 'x'.repeat(65) }],
    ['a name that turns around', { name: 'Claude\u202e' }],
    ['a name of two lines', { name: 'one\ntwo' }],
    ['no scope', { name: 'Desk', scopes: [] }],
    ['an unknown scope', { name: 'Desk', scopes: ['everything'] }],
    ['no day', { name: 'Desk', expiresInDays: 0 }],
    ['367 days', { name: 'Desk', expiresInDays: 367 }],
    ['a user', { name: 'Desk', userId: 'somebody' }],
  ])('MC-18 is not made with %s', (_, given) => {
    expect(createTokenInput.safeParse(given).success).toBe(false);
  });
});
