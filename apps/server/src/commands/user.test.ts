import { resetLimits } from '@drawbridge/contracts/accounts';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { threadRow } from '../../../../packages/agent/test/rows.ts';
import { call, codeOf, me, signIn } from '../../test/account.ts';
import { commandsFor } from '../../test/chores.ts';
import { createPanel } from '../../test/panel.ts';
import { cookiesOf, owner, signUpOwner, startServer, type TestServer } from '../../test/server.ts';
import { createTenants, type Tenants } from '../../test/tenants.ts';
import { openTestStore } from '../../test/store-place.ts';

const ben = { email: 'ben@example.org', password: 'another long password' };

const ways: [proof: string, method: string, path: string, body?: object][] = [
  ['session', 'GET', '/trpc/gateway.status'],
  ['session key', 'POST', '/api/v1/instance-ai/gateway/probe', { id: 1 }],
  ['token', 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }],
  ['client', 'POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }],
];

/** Those of Ben's proofs that are refused. */
const refused = async ({ server, proofs }: Tenants): Promise<string[]> => {
  const names: string[] = [];
  for (const [name, method, path, body] of ways) {
    const headers = { accept: 'application/json, text/event-stream', ...proofs[name] };
    const { status } = await server.send(path, { method, headers, ...(body ? { body } : {}) });
    if ([401, 403].includes(status)) names.push(name);
  }
  return names;
};
const all = ways.map(([name]) => name);

describe('PK-11 an account that is disabled beside a running server', () => {
  it('has its sessions, tokens, clients and machines ended at once, and can be enabled again', async () => {
    const world = await createTenants();
    const { server } = world;
    expect(await refused(world)).toEqual([]);
    for (const { panel } of [world.ann, world.ben]) await panel.hooks.create.mutate({ name: 'deploys' });
    const commands = commandsFor(server.dataDir);
    await commands.disableUser('BEN@example.org');
    // No request in between: the server closes the stream without one.
    await world.ben.daemon.stream.ended;
    expect(await refused(world)).toEqual(all);
    expect((await signIn(server, ben)).status).toBe(423);
    expect(
      (await world.ann.panel.people.list.query()).map(({ email, disabledAt }) => [
        email,
        disabledAt !== null,
      ]),
    ).toEqual([
      [owner.email, false],
      [ben.email, true],
    ]);
    // Ann keeps what is hers.
    expect((await world.ann.panel.gateway.status.query()).connected).toBe(true);
    expect(await world.ann.panel.hooks.list.query()).toHaveLength(1);
    await commands.enableUser(ben.email);
    const signedIn = await signIn(server, ben);
    expect(signedIn.status).toBe(200);
    expect(await createPanel(server, cookiesOf(signedIn)).hooks.list.query()).toEqual([]);
    expect(await refused(world)).toEqual(all);
  });

  it("US-16 is never the owner's, and one that exists", async () => {
    const server = await startServer();
    await signUpOwner(server);
    const { disableUser } = commandsFor(server.dataDir);
    await expect(disableUser(owner.email)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(disableUser('unknown@example.org')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('US-19 a link for a new password', () => {
  const link = async (server: TestServer) => {
    const commands = commandsFor(server.dataDir);
    await commands.resetPassword(owner.email);
    const [url = '', resetToken = ''] = /^\S+#token=(reset_[\w-]{32})$/m.exec(commands.out()) ?? [];
    return { url, resetToken, commands };
  };
  const use = (server: TestServer, resetToken: string, password = 'a new long password') =>
    call(server, 'account.resetPassword', { body: { resetToken, password } });

  it('works once, ends the sessions of the person, and opens one', async () => {
    const server = await startServer();
    const cookie = await signUpOwner(server);
    const { url, resetToken, commands } = await link(server);
    expect(url).toBe(`${server.url}/reset-password#token=${resetToken}`);
    expect(commands.err()).not.toContain(resetToken);
    const got = await use(server, resetToken);
    expect(await me(server, cookiesOf(got))).toMatchObject({ email: owner.email });
    expect(await me(server, cookie)).toBeNull();
    expect((await signIn(server, owner)).status).toBe(401);
    expect(
      (await signIn(server, { ...owner, name: undefined, password: 'a new long password' })).status,
    ).toBe(200);
    const again = await use(server, resetToken, 'yet another password');
    expect([again.status, codeOf(again)]).toEqual([403, 'FORBIDDEN']);
    expect(server.log.join('')).not.toContain(resetToken);
  });

  it('is not valid for a short password, when a newer one was made, nor for a disabled account', async () => {
    const server = await startServer();
    await signUpOwner(server);
    const first = await link(server);
    expect((await use(server, first.resetToken, 'short')).status).toBe(400);
    const { resetToken } = await link(server);
    expect((await use(server, first.resetToken)).status).toBe(403);
    expect((await use(server, resetToken)).status).toBe(200);
  });

  it('is valid for an hour, and not before it was created', async () => {
    const now = systemClock.now();
    for (const [at, status] of [
      [now - 60_000, 403],
      [now + resetLimits.holdsMs + 60_000, 403],
      [now + resetLimits.holdsMs - 60_000, 200],
    ] as const) {
      const clock = createFakeClock(at);
      const server = await startServer({ clock });
      await signUpOwner(server);
      const { resetToken } = await link(server);
      expect([at - now, (await use(server, resetToken)).status]).toEqual([at - now, status]);
    }
  });
});

it("PK-11 US-16 only the owner's panel disables and removes accounts", async () => {
  const { server, ann, ben: guest } = await createTenants();
  const [own, row] = (await ann.panel.people.list.query()).map(({ id }) => id);
  await expect(guest.panel.people.list.query()).rejects.toThrow('Forbidden');
  for (const verb of ['disable', 'enable', 'remove'] as const)
    await expect(guest.panel.people[verb].mutate({ id: own ?? '' })).rejects.toThrow('Forbidden');
  for (const verb of ['disable', 'remove'] as const)
    await expect(ann.panel.people[verb].mutate({ id: own ?? '' })).rejects.toThrow("owner's account");

  const id = row ?? '';
  await ann.panel.people.disable.mutate({ id });
  expect(await me(server, guest.cookie)).toBeNull();
  await guest.daemon.stream.ended;
  await ann.panel.people.enable.mutate({ id });
  expect((await signIn(server, ben)).status).toBe(200);

  await addThread(server, id);
  await ann.panel.people.remove.mutate({ id });
  expect(await ann.panel.people.list.query()).toHaveLength(1);
  expect((await signIn(server, ben)).status).toBe(401);
  await expect.poll(() => rowsOf(server, id)).toEqual({});
  expect((await ann.panel.calls.list.query({})).calls.length).toBeGreaterThan(1);
}, 20_000);

const addThread = async (server: TestServer, userId: string) => {
  const { db, close } = await openTestStore(server.dataDir);
  await db
    .insertInto('agentThreads')
    .values({
      ...threadRow(userId, 't1'),
      ...{ tasks: '[]', lane: '{}', canvasRev: 0, runtime: null, runtimeSession: null },
    })
    .execute();
  await close();
};

/** How many rows of each table name the user. */
const rowsOf = async (server: TestServer, userId: string): Promise<Record<string, number>> => {
  const { db, close } = await openTestStore(server.dataDir);
  const counts: Record<string, number> = {};
  for (const { name, columns } of await db.introspection.getTables()) {
    const column = columns.find((one) => ['userId', 'referenceId', 'createdBy'].includes(one.name));
    if (!column) continue;
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from ${sql.table(name)} where ${sql.ref(column.name)} = ${userId}`.execute(db);
    if (rows[0]?.n) counts[name] = rows[0].n;
  }
  await close();
  return counts;
};
