import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { call, codeOf, me } from '../../../test/account.ts';
import {
  cookiesOf,
  procedureResult,
  signUpOwner,
  startServer,
  type TestServer,
} from '../../../test/server.ts';

describe('an invitation', () => {
  const invite = async (server: TestServer, cookie: string) => {
    const link = procedureResult(await call(server, 'invitations.create', { cookie })) as {
      id: string;
      url: string;
    };
    return { ...link, invitationToken: link.url.split('#token=')[1] ?? '' };
  };
  const guest = { name: 'Guest', email: 'guest@example.org', password: 'a long password' };

  it('makes one account that is no owner, once', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const { invitationToken, url } = await invite(server, cookie);
    expect(url).toMatch(new RegExp(`^${server.url}/invitation#token=invite_[\\w-]{32}$`));
    const accepted = await call(server, 'invitations.accept', { body: { invitationToken, ...guest } });
    expect(await me(server, cookiesOf(accepted))).toEqual({
      id: expect.any(String),
      name: 'Guest',
      email: guest.email,
      isOwner: false,
    });
    const again = await call(server, 'invitations.accept', {
      body: { invitationToken, ...guest, email: 'other@example.org' },
    });
    expect([again.status, codeOf(again)]).toEqual([403, 'FORBIDDEN']);
    expect(procedureResult(await server.send('/trpc/invitations.list', { headers: { cookie } }))).toEqual([]);
  });

  it('lets one of many in at once', async () => {
    const server = await startServer();
    const { invitationToken } = await invite(server, await signUpOwner(server));
    const tries = Array.from({ length: 8 }, (_, at) =>
      call(server, 'invitations.accept', {
        body: { ...guest, invitationToken, email: `guest${at}@example.org` },
      }),
    );
    const statuses = (await Promise.all(tries)).map((got) => got.status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 403, 403, 403, 403, 403, 403, 403]);
  });

  it('stays unused when the address is taken, in whatever letters', async () => {
    const server = await startServer();
    const { invitationToken } = await invite(server, await signUpOwner(server));
    const taken = await call(server, 'invitations.accept', {
      body: { ...guest, invitationToken, email: 'OWNER@example.org' },
    });
    expect([taken.status, codeOf(taken)]).toEqual([409, 'EMAIL_TAKEN']);
    expect((await call(server, 'invitations.accept', { body: { ...guest, invitationToken } })).status).toBe(
      200,
    );
  });

  it('ends after seven days, or when it is revoked', async () => {
    const clock = createFakeClock(systemClock.now());
    const server = await startServer({ clock });
    const cookie = await signUpOwner(server);
    const late = await invite(server, cookie);
    const revoked = await invite(server, cookie);
    expect((await call(server, 'invitations.revoke', { cookie, body: { id: revoked.id } })).status).toBe(200);
    expect((await call(server, 'invitations.revoke', { cookie, body: { id: revoked.id } })).status).toBe(404);
    clock.jump(7 * 24 * 60 * 60 * 1_000);
    const answers = await Promise.all(
      [late, revoked].map(({ invitationToken }) =>
        call(server, 'invitations.accept', { body: { ...guest, invitationToken } }),
      ),
    );
    expect(answers.map((got) => got.status)).toEqual([403, 403]);
  });

  it('is created, listed and revoked by the owner alone', async () => {
    const server = await startServer();
    const { invitationToken, id } = await invite(server, await signUpOwner(server));
    const cookie = cookiesOf(
      await call(server, 'invitations.accept', { body: { invitationToken, ...guest } }),
    );
    const answers = [
      await call(server, 'invitations.create', { cookie }),
      await server.send('/trpc/invitations.list', { headers: { cookie } }),
      await call(server, 'invitations.revoke', { cookie, body: { id } }),
      await call(server, 'invitations.create'),
    ];
    expect(answers.map((got) => got.status)).toEqual([403, 403, 403, 401]);
  });

  it('is kept as a digest', async () => {
    const server = await startServer();
    const { invitationToken } = await invite(server, await signUpOwner(server));
    await server.app.close();
    const stored = ['drawbridge.db', 'drawbridge.db-wal']
      .map((name) => join(server.dataDir, name))
      .flatMap((file) => (statSync(file, { throwIfNoEntry: false }) ? [readFileSync(file, 'latin1')] : []))
      .join('');
    expect(stored).toContain('invitation');
    expect(stored).not.toContain(invitationToken.slice('invite_'.length));
  });
});
