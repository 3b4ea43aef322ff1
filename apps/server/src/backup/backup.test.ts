import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { insert } from '@drawbridge/agent';
import { describe, expect, it, onTestFinished } from 'vitest';
import { call, me, signIn } from '../../test/account.ts';
import { agentRow } from '../../../../packages/agent/test/rows.ts';
import { createAgentStore } from '../agent/store/agent.store.ts';
import { openDatabase } from '../db/index.ts';
import { commandsFor, newFolder } from '../../test/chores.ts';
import { connectDaemon, initDaemon, requestOf } from '../../test/daemon.ts';
import { createPanel } from '../../test/panel.ts';
import { noticeRow } from '../../test/push-service.ts';
import { cookiesOf, owner, send, signUpOwner, startServer, type TestServer } from '../../test/server.ts';

const paired = async () => {
  const server = await startServer({ dataDir: newFolder() });
  const cookie = await signUpOwner(server);
  return { server, cookie, panel: createPanel(server, cookie) };
};
const use = async ({ url }: Pick<TestServer, 'url'>, token: string) =>
  (await send(`${url}/api/v1/status`, { headers: { authorization: `Bearer ${token}` } })).status;
const backUp = async (server: TestServer): Promise<string> => {
  const copy = join(newFolder(), 'copy');
  await commandsFor(server.dataDir).backUp(copy);
  return copy;
};
/** Stops the server, restores the copy, and starts a server again. */
const restart = async (server: TestServer, copy: string) => {
  await server.app.close();
  const commands = commandsFor(server.dataDir);
  await commands.restore(copy);
  return { server: await startServer({ dataDir: server.dataDir }), commands };
};

describe('a backup', () => {
  it('is a sound copy for this user alone, made while the server writes', async () => {
    const { server, panel } = await paired();
    const { token } = await panel.tokens.create.mutate({ name: 'Desk' });
    const copy = join(newFolder(), 'copy');
    let writing = true;
    const writes = (async () => {
      while (writing) await panel.invitations.create.mutate();
    })();
    const { backUp: run, out } = commandsFor(server.dataDir);
    await run(copy);
    writing = false;
    await writes;
    expect(out()).toBe(`${copy}\n`);
    expect(readdirSync(copy).toSorted()).toEqual(['auth-secret', 'drawbridge.db']);
    const modes = [copy, join(copy, 'auth-secret'), join(copy, 'drawbridge.db')].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o600, 0o600]);
    await server.app.close();
    const elsewhere = newFolder();
    await commandsFor(elsewhere).restore(copy);
    expect(await use(await startServer({ dataDir: elsewhere }), token)).toBe(200);
  });

  it('overwrites nothing', async () => {
    const { server } = await paired();
    const folder = newFolder();
    writeFileSync(join(folder, 'notes'), '');
    await expect(commandsFor(server.dataDir).backUp(folder)).rejects.toThrow(`${folder} is not empty`);
    expect(readdirSync(folder)).toEqual(['notes']);
  });
});

describe('a restore', () => {
  it('is refused while a server runs, and names it', async () => {
    const { server } = await paired();
    const copy = await backUp(server);
    const sentence = `Another server runs on the data folder ${server.dataDir}: process ${process.pid} on `;
    await expect(commandsFor(server.dataDir).restore(copy)).rejects.toThrow(sentence);
    expect(await use(server, 'dbt_none')).toBe(401);
  });

  it('sets the former store aside', async () => {
    const { server, cookie, panel } = await paired();
    const copy = await backUp(server);
    await panel.tokens.create.mutate({ name: 'Later' });
    const { server: restored, commands } = await restart(server, copy);
    const [, aside = ''] = /The former store is in (\S+)\n/.exec(commands.err()) ?? [];
    expect(readdirSync(aside)).toEqual(expect.arrayContaining(['auth-secret', 'drawbridge.db']));
    expect(statSync(aside).mode & 0o777).toBe(0o700);
    // Everybody signs in again.
    expect(await me(restored, cookie)).toBeNull();
    const signedIn = cookiesOf(await signIn(restored, { email: owner.email, password: owner.password }));
    expect(await createPanel(restored, signedIn).tokens.list.query()).toEqual([]);
  });

  it('PS-09 uses and revocations after the backup stay in force', async () => {
    const { server, cookie, panel } = await paired();
    const tokens = [
      await panel.tokens.create.mutate({ name: 'Kept' }),
      await panel.tokens.create.mutate({ name: 'Lost' }),
    ];
    const kept = await initDaemon(server, (await panel.gateway.createLink.mutate()).token);
    const invitation = await panel.invitations.create.mutate();
    await panel.gateway.disconnect.mutate();
    const pairing = (await panel.gateway.createLink.mutate()).token;
    const removed = await panel.hooks.create.mutate({ name: 'removed' });
    const { id: hookId } = await panel.hooks.create.mutate({ name: 'kept' });
    const { code } = await panel.channels.codes.create.mutate({ kind: 'telegram' });
    expect(code).toHaveLength(6);
    const copied = openDatabase({ url: undefined, dataDir: server.dataDir });
    const sender = {
      kind: 'telegram',
      userId: 'x',
      name: 'A',
      groups: '[]',
      usesMemory: 0,
      answers: 'off',
      speak: 'voice',
      pairedAt: 1,
      lastSeenAt: 1,
    };
    await copied.db
      .insertInto('channelSenders')
      .values(['kept', 'removed'].map((senderId) => ({ ...sender, senderId })))
      .execute();
    const group = { kind: 'telegram', conversation: '-5', userId: 'x', title: '', groups: '[]' };
    const groups = copied.db.insertInto('channelGroups');
    await groups.values({ ...group, isOn: 1, seenAt: 1 }).execute();
    const late = Number.MAX_SAFE_INTEGER;
    const chat = {
      kind: 'telegram',
      conversation: '7',
      senderId: 'kept',
      address: '{}',
      text: 'Hi',
      isSpoken: 0,
    };
    await copied.db
      .insertInto('channelMessages')
      .values({ ...chat, userId: 'x', updateId: '1', sentAt: 1, receivedAt: late, state: 'accepted' })
      .execute();
    const unsent = { messageId: null, sentAt: null, edits: null };
    await copied.db
      .insertInto('channelReplies')
      .values({ ...chat, id: 'r', state: 'waiting', createdAt: late, part: 0, problem: null, ...unsent })
      .execute();
    const question = {
      id: 'r',
      kind: 'telegram',
      conversation: '7',
      senderId: 'kept',
      userId: 'x',
      askId: 'a',
    };
    const open = { offers: '[]', expiresAt: late, createdAt: late };
    const token = { digest: '', tokenDigest: '', sealedToken: '', ...open };
    await copied.db
      .insertInto('channelQuestions')
      .values({ ...question, ...token, confirmationId: null, state: 'open', answer: null })
      .execute();
    await copied.db.insertInto('pushAnswers').values(noticeRow).execute();
    await copied.close();
    const copy = await backUp(server);
    await panel.hooks.remove.mutate({ id: removed.id });
    const { db, close } = openDatabase({ url: undefined, dataDir: server.dataDir });
    const row = { scope: `hook ${hookId}`, digest: '', subject: hookId, userId: 'x', claimedUntil: null };
    await db
      .insertInto('onceKeys')
      .values({ ...row, key: 'id msg_1', at: 1, endsAt: Number.MAX_SAFE_INTEGER })
      .execute();
    await db.deleteFrom('channelSenders').where('senderId', '=', 'removed').execute();
    await close();
    await initDaemon(server, pairing);
    await panel.tokens.revoke.mutate({ id: tokens[1]?.id ?? '' });
    const guest = { name: 'Guest', email: 'guest@example.org', password: 'a long password' };
    const invitationToken = invitation.url.split('#token=')[1] ?? '';
    await call(server, 'invitations.accept', { body: { invitationToken, ...guest } });
    await call(server, 'account.me', { cookie });
    const { server: restored } = await restart(server, copy);
    await expect(initDaemon(restored, pairing)).rejects.toThrow('FORBIDDEN');
    await expect(initDaemon(restored, kept)).rejects.toThrow('FORBIDDEN');
    expect(await Promise.all(tokens.map(({ token }) => use(restored, token)))).toEqual([200, 401]);
    const hooks = await createPanel(restored, cookiesOf(await signIn(restored, owner))).hooks.list.query();
    expect(hooks.map(({ name }) => name)).toEqual(['kept']);
    const after = openDatabase({ url: undefined, dataDir: server.dataDir });
    expect(await after.db.selectFrom('onceKeys').select('key').execute()).toEqual([{ key: 'id msg_1' }]);
    expect(await after.db.selectFrom('channelSenders').select('senderId').execute()).toEqual([
      { senderId: 'kept' },
    ]);
    expect(await after.db.selectFrom('channelGroups').select('isOn').execute()).toEqual([{ isOn: 0 }]);
    expect(await after.db.selectFrom('channelCodes').select('id').execute()).toEqual([]);
    expect(await after.db.selectFrom('channelQuestions').select('id').execute()).toEqual([]);
    expect(await after.db.selectFrom('pushAnswers').select('askId').execute()).toEqual([]);
    expect(await after.db.selectFrom('channelMessages').select('state').execute()).toEqual([
      { state: 'answered' },
    ]);
    expect(await after.db.selectFrom('channelReplies').select('state').execute()).toEqual([
      { state: 'failed' },
    ]);
    await after.close();
    const again = await call(restored, 'invitations.accept', { body: { invitationToken, ...guest } });
    expect(again.status).toBe(403);
  });

  it('PS-09 ends pairing tokens and invitations without a former store, and reports what it could not compare', async () => {
    const { server, panel } = await paired();
    const invitation = await panel.invitations.create.mutate();
    const pairing = (await panel.gateway.createLink.mutate()).token;
    const { id = '' } = (await panel.account.me.query()) ?? {};
    const own = await server.app.gateway.pairing.createServerToken(id);
    const copy = await backUp(server);
    await server.app.close();
    const elsewhere = newFolder();
    const commands = commandsFor(elsewhere);
    await commands.restore(copy);
    expect(commands.err()).toContain('There was no former store to compare with');
    const restored = await startServer({ dataDir: elsewhere });
    for (const token of [pairing, own])
      await expect(initDaemon(restored, token)).rejects.toThrow('FORBIDDEN');
    const invitationToken = invitation.url.split('#token=')[1] ?? '';
    const guest = { name: 'Guest', email: 'guest@example.org', password: 'a long password' };
    expect((await call(restored, 'invitations.accept', { body: { invitationToken, ...guest } })).status).toBe(
      403,
    );
  });

  it('PS-09 a call that was open in the copy is not run again', async () => {
    const { server, panel } = await paired();
    const daemon = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
    const running = panel.calls.run.mutate({ name: 'write_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    const copy = await backUp(server);
    await daemon.respond(requestId, { result: { content: [{ type: 'text', text: 'done' }] } });
    await running;
    const { server: restored } = await restart(server, copy);
    const cookie = cookiesOf(await signIn(restored, { email: owner.email, password: owner.password }));
    const record = await createPanel(restored, cookie).calls.get.query({ requestId });
    expect([record.state, record.error?.message]).toEqual([
      'lost',
      'The server was restored from a backup: the call may have run',
    ]);
  });

  it('PS-09 the agent counts open work of the copy as left long ago', async () => {
    const { server } = await paired();
    const copied = openDatabase({ url: undefined, dataDir: server.dataDir });
    const store = createAgentStore({ ...copied, onError: () => expect.unreachable() });
    const ended = { state: 'ended', endedAt: 7 } as const;
    const rows = [
      agentRow('ann', 'ag_1', { lastActiveAt: 5 }),
      agentRow('ann', 'ag_2', { lastActiveAt: 5, ...ended }),
    ];
    await store.commit(
      rows.map((row) => insert('agentAgents', row)),
      'synced',
    );
    await copied.close();
    const copy = await backUp(server);
    await server.app.close();
    await commandsFor(server.dataDir).restore(copy);
    const restored = openDatabase({ url: undefined, dataDir: server.dataDir });
    onTestFinished(restored.close);
    const found = await createAgentStore({ ...restored, onError: () => {} }).findOfAll('agentAgents', {});
    expect(found.map(({ lastActiveAt }) => lastActiveAt)).toEqual([0, 5]);
  });

  it('changes nothing for an invalid backup', async () => {
    const { server } = await paired();
    const copy = await backUp(server);
    await server.app.close();
    const before = readdirSync(server.dataDir).toSorted();
    const { restore } = commandsFor(server.dataDir);
    await expect(restore(join(copy, 'none'))).rejects.toThrow('it has no drawbridge.db');
    writeFileSync(join(copy, 'drawbridge.db'), 'x'.repeat(8_192));
    await expect(restore(copy)).rejects.toThrow('is damaged');
    expect(readdirSync(server.dataDir).toSorted()).toEqual(before);
    expect(existsSync(join(server.dataDir, 'drawbridge.db'))).toBe(true);
  });
});

describe('doctor', () => {
  it('reports a sound store, a running server, and files that others can read', async () => {
    const { server } = await paired();
    const looked = async () => {
      const commands = commandsFor(server.dataDir);
      await commands.doctor({ json: true });
      const { checks } = JSON.parse(commands.out()) as {
        checks: { name: string; state: string; says: string }[];
      };
      return Object.fromEntries(checks.map(({ name, state }) => [name, state]));
    };
    expect(await looked()).toMatchObject({
      node: 'ok',
      data: 'ok',
      store: 'ok',
      server: 'ok',
      address: 'ok',
    });
    execFileSync('chmod', ['644', join(server.dataDir, 'auth-secret')]);
    expect(await looked()).toMatchObject({ data: 'problem', store: 'ok' });
    process.exitCode = 0;
    await server.app.close();
    expect(await looked()).toMatchObject({ server: 'note' });
    process.exitCode = 0;
  });

  it('changes nothing where no server has run', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'data'));
    const commands = commandsFor(join(folder, 'data', 'none'));
    await commands.doctor({ json: false });
    process.exitCode = 0;
    expect(commands.out()).toContain('no server has run with');
    expect(readdirSync(join(folder, 'data'))).toEqual([]);
  });
});
