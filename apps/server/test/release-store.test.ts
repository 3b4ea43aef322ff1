import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { systemClock, type Clock } from '@drawbridge/kit';
import Database from 'libsql';
import { expect, it } from 'vitest';
import { commandsFor, newFolder } from './chores.ts';
import { openStream, requestOf } from './daemon.ts';
import { createPanel } from './panel.ts';
import { cookiesOf, owner, startServer } from './server.ts';

const sessionKey = 'sess_HZSFgXXGl5YzHWmfMINmCIRcm5_ccYMj';
const accessToken = 'dbt_cWE-jV0-PXWnTYCoVECsKbWefB2UA-qz';
const openCall = '0mwsm4nogzfHJArEisgwHEzmdXcM6HG';
const storedAt = Date.parse('2026-11-23T02:00:00Z');

/** Goes on from the moment of the store: its keys would have ended by now. */
const clockFrom = (start: number): Clock => {
  const offset = systemClock.now() - start;
  return { ...systemClock, now: () => systemClock.now() - offset };
};

const withStore = (release: string, change = '') => {
  const dataDir = newFolder();
  const database = new Database(join(dataDir, 'drawbridge.db'));
  database.pragma('foreign_keys = OFF');
  database.exec(readFileSync(new URL(`stores/${release}.sql`, import.meta.url), 'utf8'));
  database.exec(change);
  database.close();
  writeFileSync(join(dataDir, 'auth-secret'), 'f4SmZtTW-2Vu98nQprSi9j76tgBT6SF9LjkLmGW2hLc', { mode: 0o600 });
  return dataDir;
};

it('a store of release 0.1.0 opens with its machine, key, calls, questions, rules and token', async () => {
  const server = await startServer({ dataDir: withStore('0.1.0'), clock: clockFrom(storedAt) });
  const { email, password } = owner;
  const signedIn = await server.send('/api/auth/sign-in/email', {
    method: 'POST',
    body: { email, password },
  });
  const panel = createPanel(server, cookiesOf(signedIn));

  const { calls } = await panel.calls.list.query({ limit: 50 });
  expect(calls.map(({ tool, state, door, via }) => [tool, state, door, via?.name])).toEqual([
    ['write_file', 'failed', 'rest', 'script'],
    ['write_file', 'awaiting-confirmation', 'trpc', undefined],
    ['write_file', 'succeeded', 'trpc', undefined],
    ['read_file', 'succeeded', 'rest', 'script'],
  ]);
  expect(await panel.rules.list.query()).toMatchObject({ rules: [{ id: 'r1', label: 'npm test' }] });

  const authorization = { authorization: `Bearer ${accessToken}` };
  const own = await server.send('/api/v1/calls', { headers: authorization });
  expect(own.json).toMatchObject({ calls: [{ state: 'failed' }, { state: 'succeeded' }] });
  const repeated = await server.send('/api/v1/calls', {
    method: 'POST',
    headers: { ...authorization, 'idempotency-key': 'k1' },
    body: { name: 'read_file', arguments: { path: 'a.txt' } },
  });
  expect(repeated.json).toMatchObject({ result: { content: [{ text: 'hello' }] } });

  const [question] = await panel.confirmations.list.query();
  expect(question).toMatchObject({
    requestId: openCall,
    resource: 'c.txt',
    options: ['allowOnce', 'denyOnce'],
  });
  const { status, ...stream } = await openStream(`${server.url}${daemonMounts.bare}/events`, {
    [gatewayKeyHeader]: sessionKey,
  });
  expect(status).toBe(200);
  await panel.confirmations.decide.mutate({ confirmationId: question?.id ?? '', approved: true });
  expect(requestOf(await stream.next())).toMatchObject({
    requestId: openCall,
    toolCall: { arguments: { path: 'c.txt', _confirmation: 'allowOnce' } },
  });
});

it('machines of one person get names, and the one that was used last is the default', async () => {
  const older = `
    insert into machines select 'older', "userId", "hostIdentifier", '/older', "toolsDigest", categories, daemon, epoch,
      null, "initAt" - 1, "createdAt" - 1, "resumesFrom", null, null, null, null from machines;`;
  const server = await startServer({ dataDir: withStore('0.1.0', older), clock: clockFrom(storedAt) });
  const commands = commandsFor(server.dataDir);
  await commands.listMachines({ email: owner.email, json: true });
  expect(JSON.parse(commands.out())).toMatchObject([
    { id: 'older', name: 'desk', isDefault: false },
    { name: 'desk-2', isDefault: true },
  ]);
});
