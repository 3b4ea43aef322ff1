import { clientLimits } from '@drawbridge/contracts/clients';
import type { ToolScope } from '@drawbridge/contracts/groups';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { oauthOf, publicUrl, resource } from '../../../test/oauth.ts';
import { openCall } from '../../../test/open-call.ts';
import { signUpOwner, startServer } from '../../../test/server.ts';
import { openTestStore } from '../../../test/store-place.ts';

const groups: ToolScope[] = ['filesystemRead'];
/** Less than a call may stay silent. */
const leftSeconds = 20;

/** A client whose access token has not long left, with a call that the machine has not answered. */
const setUp = async (scope: string) => {
  const clock = createFakeClock(systemClock.now());
  const server = await startServer({ clock, environment: { PUBLIC_URL: publicUrl } });
  const cookie = await signUpOwner(server);
  const oauth = oauthOf(server, { cookie, resource });
  const { id, tokens } = await oauth.connect(groups, { scope });
  // The account library reads the system clock, which has moved since the test began.
  clock.advance(systemClock.now() - clock.now() + (clientLimits.accessSeconds - leftSeconds) * 1_000);
  const { panel, answered, answer } = await openCall(oauth, tokens.access_token);
  const runOut = () => clock.settle((leftSeconds + 1) * 1_000);
  return { ...oauth, server, clock, panel, clientId: id, tokens, answered, answer, runOut };
};

afterEach(() => void vi.useRealTimers());

const staying = 'filesystemRead offline_access';

describe('a call of a client whose access token runs out meanwhile', () => {
  it('goes on where the client can refresh its token; a new request needs one that holds', async () => {
    const { runOut, use, tokens, answer, answered } = await setUp(staying);
    await runOut();
    expect(await use(tokens.access_token)).toBe(401);
    expect((await answer()).status).toBe(200);
    expect(await answered).toContain('late, but here');
  });

  it('goes on when the client has refreshed its token', async () => {
    const { clientId, runOut, use, refresh, tokensOf, tokens, answer, answered } = await setUp(staying);
    tokensOf(await refresh(clientId, tokens.refresh_token ?? ''));
    await runOut();
    expect(await use(tokens.access_token)).toBe(401);
    await answer();
    expect(await answered).toContain('late, but here');
  });

  it('MC-04 is cut where the client cannot', async () => {
    const { runOut, answered } = await setUp('filesystemRead');
    await runOut();
    expect(await answered).toBe('cut');
  });

  type World = Awaited<ReturnType<typeof setUp>>;
  it.each<[string, (world: World) => Promise<unknown>]>([
    ['the person revokes the client', ({ panel, clientId }) => panel.clients.revoke.mutate({ id: clientId })],
    [
      'the client ends its refresh token',
      ({ revoke, clientId, tokens }) => revoke(tokens.refresh_token ?? '', clientId),
    ],
    [
      'the client ends the refresh token that it has now',
      async ({ refresh, tokensOf, revoke, clientId, tokens }) => {
        const next = tokensOf(await refresh(clientId, tokens.refresh_token ?? ''));
        await revoke(next.refresh_token ?? '', clientId);
      },
    ],
    [
      'its refresh token runs out',
      async ({ server }) => {
        const { db, close } = await openTestStore(server.dataDir);
        // A table of better-auth, which our schema does not name.
        const own = db.withTables<{ oauthRefreshToken: { expiresAt: string } }>();
        await own
          .updateTable('oauthRefreshToken')
          .set({ expiresAt: new Date(0).toISOString() })
          .execute();
        await close();
      },
    ],
    [
      'a refresh token is used again after its minute',
      async ({ refresh, clientId, tokens }) => {
        await refresh(clientId, tokens.refresh_token ?? '');
        vi.setSystemTime(systemClock.now() + (clientLimits.refreshAgainSeconds + 1) * 1_000);
        await refresh(clientId, tokens.refresh_token ?? '');
      },
    ],
  ])('MC-04 is cut at once when %s', async (_, end) => {
    const world = await setUp(staying);
    await world.runOut();
    await end(world);
    await world.clock.settle(1_000);
    expect(await world.answered).toBe('cut');
  });
});
