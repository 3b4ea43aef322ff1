import { createTokenInput } from '@drawbridge/contracts/tokens';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openAccess } from '../../test/access.ts';
import { oauthOf, publicUrl, resource } from '../../test/oauth.ts';
import { createPanel } from '../../test/panel.ts';
import { signUpOwner, startServer } from '../../test/server.ts';
import { openTestStore } from '../../test/store-place.ts';

const harm = ({ table, column, value }: { table: string; column: string; value: string }) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.lit(value)}`;

describe('PS-11 a stored token that cannot be read', () => {
  it.each([
    ['permissions', '{"tools":'],
    ['permissions', '{"tools":["everything"]}'],
    ['expiresAt', 'never'],
    ['createdAt', 'once'],
    ['lastRequest', 'just now'],
  ])('for its %s %s holds nowhere, and the others are shown', async (column, value) => {
    const { tokens, access, userId, db } = await openAccess();
    const harmed = await tokens.create(userId, createTokenInput.parse({ name: 'Harmed' }));
    await harm({ table: 'apikey', column, value }).execute(db);
    const sound = await tokens.create(userId, createTokenInput.parse({ name: 'Sound' }));
    expect((await tokens.list(userId)).map(({ id }) => id)).toEqual([sound.id]);
    expect(await access.verify(harmed.token)).toBeNull();
    expect(await access.verify(sound.token)).toMatchObject({ tokenId: sound.id });
  });

  it('ends what is open with it', async () => {
    const { tokens, access, userId, db, clock, problems } = await openAccess();
    const { token } = await tokens.create(userId, createTokenInput.parse({ name: 'Harmed' }));
    const granted = (await access.verify(token)) ?? expect.fail();
    const ended = new Promise<void>((resolve) => void access.onRevoked(granted, resolve));
    await harm({ table: 'apikey', column: 'expiresAt', value: 'never' }).execute(db);
    clock.advance(1_000);
    await ended;
    expect(problems).toEqual([]);
  });
});

describe('PS-11 a stored client that cannot be read', () => {
  const setUp = async () => {
    const clock = createFakeClock(systemClock.now());
    const server = await startServer({ clock, environment: { PUBLIC_URL: publicUrl } });
    const cookie = await signUpOwner(server);
    const { db, close } = await openTestStore(server.dataDir);
    onTestFinished(close);
    const panel = createPanel(server, cookie);
    return { db, clock, panel, ...oauthOf(server, { cookie, resource }) };
  };

  it.each([
    ['oauthConsent', 'scopes', '["file'],
    ['oauthConsent', 'createdAt', 'once'],
    ['oauthClient', 'redirectUris', '{}'],
  ])('for %s.%s is not shown, and the others are', async (table, column, value) => {
    const { db, panel, connect } = await setUp();
    await connect();
    await harm({ table, column, value }).execute(db);
    const { id } = await connect();
    expect((await panel.clients.list.query()).map((client) => client.id)).toEqual([id]);
  });

  it.each([
    ['oauthConsent', 'scopes', '["file'],
    ['oauthAccessToken', 'scopes', '["everything'],
    ['oauthAccessToken', 'resources', '7'],
    ['oauthAccessToken', 'expiresAt', 'never'],
  ])('for %s.%s holds nowhere', async (table, column, value) => {
    const { db, clock, connect, use } = await setUp();
    const { tokens } = await connect();
    expect(await use(tokens.access_token)).toBe(200);
    await harm({ table, column, value }).execute(db);
    // What another process has written is seen by then.
    clock.advance(1_000);
    expect(await use(tokens.access_token)).toBe(401);
  });

  it('does not keep others from being revoked', async () => {
    const { db, panel, connect } = await setUp();
    const { id } = await connect();
    await sql`insert into verification values ('x', 'x', '{"type":"authorization_code"', '2030-01-01', '2026-01-01', '2026-01-01')`.execute(
      db,
    );
    await panel.clients.revoke.mutate({ id });
    expect(await panel.clients.list.query()).toEqual([]);
  });
});
