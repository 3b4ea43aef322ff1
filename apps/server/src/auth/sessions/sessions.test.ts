import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import { describe, expect, it } from 'vitest';
import { createPanel } from '../../../test/panel.ts';
import { invited } from '../../../test/tenants.ts';
import { openTestStore } from '../../../test/store-place.ts';
import { codeOf, me, signIn } from '../../../test/account.ts';
import { cookiesOf, owner, sessionHeaders, signUpOwner, startServer } from '../../../test/server.ts';

const credentials = { email: owner.email, password: owner.password };

describe('a cookie that was proven before', () => {
  it('holds as long as its session, and no longer', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const seen = [await me(server, cookie), await me(server, cookie)];
    expect(seen).toEqual(Array(2).fill(expect.objectContaining({ email: owner.email, isOwner: true })));
    await server.send('/api/auth/sign-out', {
      method: 'POST',
      headers: { cookie, origin: server.url, 'content-type': 'application/json' },
      body: {},
    });
    expect([await me(server, cookie), await me(server, cookie)]).toEqual([null, null]);
  });

  it('says nothing for one that differs by one character', async () => {
    const server = await startServer();
    await signUpOwner(server);
    const cookie = cookiesOf(await signIn(server, credentials));
    expect(await me(server, cookie)).not.toBeNull();
    const [first = '', ...rest] = cookie.split('=');
    const changed = rest.join('=').replace(/[A-Za-z]/, (character) => (character === 'a' ? 'b' : 'a'));
    const { cookie: _own, ...proof } = sessionHeaders(cookie);
    expect(await me(server, `${first}=${changed}`, proof)).toBeNull();
    expect(await me(server, cookie)).not.toBeNull();
  });

  it('US-20 gives no access without its proof, with that of another session, or with one that differs', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const other = cookiesOf(await signIn(server, credentials));
    const withProof = (proof: string) => me(server, cookie, { [sessionProofHeader]: proof });
    const [own = '', theirs = ''] = [cookie, other].map((one) => sessionHeaders(one)[sessionProofHeader]);
    expect(await withProof(own)).not.toBeNull();
    const others = ['', theirs, own.slice(0, -1), `${own}x`, own.toLowerCase()];
    expect(await Promise.all(others.map(withProof))).toEqual(others.map(() => null));
  });

  it('US-20 is refused beside another one, which another port may have set for one path', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const own = sessionHeaders(cookie);
    const theirs = cookiesOf(await signIn(server, credentials));
    for (const both of [`${theirs}; ${cookie}`, `${cookie}; ${theirs}`]) {
      for (const path of ['/trpc/account.me', '/trpc/calls.list?input=%7B%7D']) {
        const got = await server.send(path, { headers: { ...own, cookie: both } });
        expect([got.status, codeOf(got)]).toEqual([400, 'TWO_SESSIONS']);
      }
      const status = await server.send('/api/v1/instance-ai/gateway/status', {
        headers: { ...own, cookie: both },
      });
      expect([status.status, status.json]).toMatchObject([400, { code: 'TWO_SESSIONS' }]);
    }
    expect(await me(server, `theme=dark; ${cookie}`, own)).not.toBeNull();
  });

  it.each([
    ['its session is taken out', 'session', null, null],
    ['its session has run out', 'session', { expiresAt: '2000-01-01T00:00:00.000Z' }, null],
    ['its user is gone', 'user', null, null],
    ['its user is the owner no more', 'user', { ownerSlot: null }, { isOwner: false }],
  ] as const)('tells it within a second when %s by another process', async (_, table, change, then) => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    expect(await me(server, cookie)).toMatchObject({ isOwner: true });
    const { db, close } = await openTestStore(server.dataDir);
    const others = db.withTables<{
      session: { expiresAt: string };
      user: { ownerSlot: string | null };
    }>();
    if (change === null) await others.deleteFrom(table).execute();
    else await others.updateTable(table).set(change).execute();
    await close();
    const seen = expect.poll(() => me(server, cookie));
    await (then === null ? seen.toBeNull() : seen.toMatchObject(then));
  });
});

describe('the sessions of a person', () => {
  it('US-05 are listed without their tokens, and one that is signed out ends; those of others are unknown', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const panel = createPanel(server, cookie);
    const other = cookiesOf(await signIn(server, credentials));
    const listed = await panel.account.sessions.query();
    expect(listed.map(({ isCurrent }) => isCurrent).toSorted()).toEqual([false, true]);
    expect(JSON.stringify(listed)).not.toContain(decodeURIComponent(cookie.split('=')[1] ?? '').slice(0, 20));
    const second = listed.find(({ isCurrent }) => !isCurrent)?.id ?? 'none';
    const ben = createPanel(server, await invited(server, panel));
    await expect(ben.account.endSession.mutate({ id: second })).rejects.toMatchObject({
      data: { code: 'NOT_FOUND' },
    });
    expect(await me(server, other)).not.toBeNull();
    await panel.account.endSession.mutate({ id: second });
    expect([await me(server, other), await panel.account.sessions.query()]).toEqual([
      null,
      [expect.objectContaining({ isCurrent: true })],
    ]);
  });
});
