import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { openTestStore } from '../../../../test/store-place.ts';
import { createTenants } from '../../../../test/tenants.ts';

const key = 'key-of-ben-for-n8n';

it('a key for n8n is the own one of each person, and is never read', async () => {
  const { server, ann, ben } = await createTenants();
  const keysOf = ({ panel }: typeof ben) => panel.agent.settings.userKeys;
  const n8nUrl = 'https://n8n.example.org/';
  await expect(keysOf(ben).change.mutate({ n8n: key })).rejects.toMatchObject({
    data: { code: 'BAD_REQUEST' },
  });
  await ann.panel.agent.settings.change.mutate({ n8nUrl });
  const set = { n8nUrl, n8n: { lastFour: '-n8n' } };
  expect(await keysOf(ben).change.mutate({ n8n: key })).toEqual(set);
  expect(await keysOf(ben).get.query()).toEqual(set);
  expect(await keysOf(ann).get.query()).toEqual({ n8nUrl, n8n: null });

  const path = '/api/v1/instance-ai/settings/user-keys';
  const headers = { cookie: ben.cookie };
  expect((await server.send(path, { headers })).json).toEqual(set);
  expect((await server.send(path)).status).toBe(401);
  const removed = await server.send(path, { method: 'PATCH', headers, body: { n8n: null } });
  expect(removed.json).toEqual({ n8nUrl, n8n: null });
  expect(server.log.join('')).not.toContain(key);
});

it('PS-12 a removed account leaves no key, no chat and no memory', async () => {
  const { server, ann, ben } = await createTenants();
  await ann.panel.agent.settings.change.mutate({ n8nUrl: 'https://n8n.example.org/' });
  const { agent } = ben.panel;
  await agent.settings.userKeys.change.mutate({ n8n: key });
  await agent.threads.create.mutate({ threadId: 't1' });
  await agent.memory.change.mutate({ sections: { person: 'Likes tea' }, version: 0 });
  const people = await ann.panel.people.list.query();
  const { id = '' } = people.find(({ name }) => name === 'Ben') ?? {};
  await ann.panel.people.remove.mutate({ id });
  const { db, close } = await openTestStore(server.dataDir);
  onTestFinished(close);
  const scopes = () => db.selectFrom('agentSettings').select('scope').execute();
  await expect.poll(scopes).toEqual([{ scope: 'all' }]);
  const own = server.app.agent;
  expect(await own?.memory.get(id)).toMatchObject({ version: 0, sections: { person: '' } });
  expect(await own?.threads.list(id, { limit: 5 })).toEqual({ threads: [], nextCursor: null, waiting: 0 });
});

describeWith('bubblewrap')('NA-13e a removed account', () => {
  it('leaves no workspace, however deep, and no snapshot of one', async () => {
    const { server, ann, ben } = await createTenants({ AGENT_WORKSPACE: 'local' });
    await ben.panel.agent.threads.create.mutate({ threadId: 't1' });
    const people = await ann.panel.people.list.query();
    const { id = '' } = people.find(({ name }) => name === 'Ben') ?? {};
    const nameOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
    const own = join(nameOf(id), nameOf('t1'));
    for (const folder of [own, join('.snapshots', own)]) {
      const path = join(server.dataDir, 'workspaces', folder);
      mkdirSync(path, { recursive: true });
      const deep = 'n=$(head -c 200 /dev/zero | tr "\\0" d); for i in $(seq 30); do mkdir $n; cd -P $n; done';
      expect(spawnSync('/bin/sh', ['-c', deep], { cwd: path, encoding: 'utf8' }).stderr).toBe('');
    }
    await ann.panel.people.remove.mutate({ id });
    const left = spawnSync('find', [
      join(server.dataDir, 'workspaces'),
      '-mindepth',
      '2',
      '-name',
      nameOf('t1'),
    ]);
    expect(left.stdout.toString()).toBe('');
  });
});
