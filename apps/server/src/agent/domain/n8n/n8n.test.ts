import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { openStandIn, replyJson } from '../../../../test/http-stand-in.ts';
import { n8nKey, openN8n } from '../../../../test/n8n.ts';
import { createN8n } from './adapter.ts';

const open = async (offered?: readonly string[] | null) => {
  const n8n = await openN8n(offered);
  const clock = createFakeClock();
  const keys: Record<string, string> = { ada: n8nKey, eve: 'wrong-key-of-eve' };
  const config = { url: n8n.url };
  const adapter = createN8n({
    clock,
    url: async () => config.url,
    key: async (userId) => keys[userId] ?? null,
  });
  const { signal } = new AbortController();
  const names = async (userId = 'ada') =>
    (await adapter.tools(userId)).map(({ name }) => name.slice('n8n_'.length));
  const tool = async (name: string) => {
    const found = (await adapter.tools('ada')).find((one) => one.name === `n8n_${name}`);
    if (!found) throw new Error(`no tool ${name}`);
    return found;
  };
  const run = async (name: string, args: Record<string, unknown> = {}, userId = 'ada') =>
    (await tool(name)).run(args, { userId, callId: 'tc_1', signal });
  return { ...n8n, clock, keys, config, adapter, names, tool, run };
};

describe('the tools of n8n', () => {
  it('are those that the version and the key offer', async () => {
    const all = await open();
    expect(await all.names()).toHaveLength(15);
    const few = await open(['GET /workflows', 'GET /executions/{id}']);
    expect(await few.names()).toEqual(['list_workflows', 'get_execution', 'create_credential']);
    const older = await open(null);
    expect(await older.names()).not.toEqual(expect.arrayContaining(['run_workflow']));
    expect(await older.names()).toEqual(expect.arrayContaining(['update_workflow', 'credential_schema']));
  });

  it('are none without a key or with a wrong one; what they are is asked once in five minutes', async () => {
    const { names, adapter, paths, clock } = await open();
    expect(await names('bob')).toEqual([]);
    expect(await names('eve')).toEqual([]);
    expect(await names('eve')).toEqual([]);
    await names();
    await names();
    expect(paths()).toEqual(['GET /api/v1/discover', 'GET /api/v1/discover']);
    clock.advance(5 * 60_000);
    await adapter.tools('ada');
    expect(paths()).toHaveLength(3);
  });

  it('use the key of the user who calls them', async () => {
    const { run } = await open();
    await expect(run('list_workflows', {}, 'eve')).rejects.toThrow('refused your key');
    await expect(run('list_workflows', {}, 'bob')).rejects.toThrow('no longer configured');
  });

  it('describe what they would do, and check their arguments', async () => {
    const { tool, run } = await open();
    const remove = await tool('delete_workflow');
    expect([remove.effect, remove.describe({ id: 'w1' })]).toEqual([
      'destructive',
      'Delete the workflow w1 of n8n. This cannot be undone.',
    ]);
    expect(remove.inputSchema).toMatchObject({
      type: 'object',
      required: ['id'],
      additionalProperties: false,
    });
    for (const id of ['..', 'a/b', '../executions/7', 'w1?x', ''])
      await expect(run('get_workflow', { id })).rejects.toThrow('arguments are not valid');
  });
});

describe('workflows', () => {
  const nodes = [{ name: 'A', type: 't', position: [0, 0], parameters: { url: 'https://a.example' } }];

  it('are listed, read, created, switched, run and deleted', async () => {
    const { run, url, workflows, paths } = await open();
    expect(await run('list_workflows', { name: 'Fir st', limit: 5 })).toMatchObject({
      data: [{ id: 'w1', name: 'First', active: false }],
    });
    expect(paths().at(-1)).toBe('GET /api/v1/workflows?name=Fir+st&limit=5');
    const read = await run('get_workflow', { id: 'w1' });
    expect(JSON.parse(read.text)).toMatchObject({ id: 'w1', version: 'v1@t1' });
    expect(read.link).toBe(`${url}/workflow/w1`);
    await run('create_workflow', { name: 'Second', nodes, connections: {} });
    expect(workflows.get('w2')).toMatchObject({ name: 'Second', nodes, settings: {} });
    await run('activate_workflow', { id: 'w2' });
    expect(workflows.get('w2')?.active).toBe(true);
    await run('deactivate_workflow', { id: 'w2' });
    expect(workflows.get('w2')?.active).toBe(false);
    expect(await run('run_workflow', { id: 'w2' })).toEqual({
      text: 'Started as execution 8.',
      link: `${url}/workflow/w2/executions/8`,
    });
    await run('delete_workflow', { id: 'w2' });
    expect([...workflows.keys()]).toEqual(['w1']);
    await expect(run('get_workflow', { id: 'w2' })).rejects.toThrow('no such object');
  });

  it('are changed over the version that was read, and no other', async () => {
    const { run, workflows, paths } = await open();
    await run('update_workflow', { id: 'w1', version: 'v1@t1', name: 'Renamed' });
    expect(workflows.get('w1')).toMatchObject({
      name: 'Renamed',
      settings: { timezone: 'UTC' },
      versionId: 'v1',
    });
    const before = paths().length;
    await expect(run('update_workflow', { id: 'w1', version: 'v1@t1', name: 'Again' })).rejects.toThrow(
      'has changed since it was read',
    );
    expect(paths().slice(before)).toEqual(['GET /api/v1/workflows/w1']);
  });

  it('are not written with a secret that was left out when they were read', async () => {
    const { run, workflows } = await open();
    const stored = workflows.get('w1');
    if (!stored) throw new Error('w1');
    const pairs = [{ name: 'X-API-Key', value: 'def-456' }];
    stored.nodes = [{ ...nodes[0], parameters: { apiKey: 'abc-123', header: `Bearer ${n8nKey}`, pairs } }];
    const { text } = await run('get_workflow', { id: 'w1' });
    expect(text).not.toMatch(/abc-123|def-456|n8n-key/);
    const { nodes: read } = JSON.parse(text) as { nodes: unknown[] };
    await expect(run('update_workflow', { id: 'w1', version: 'v1@t1', nodes: read })).rejects.toThrow(
      'Use a credential of n8n',
    );
    expect(JSON.stringify(workflows.get('w1'))).toContain('abc-123');
  });
});

describe('executions', () => {
  it('are listed and read, at most 40,000 characters, without secrets', async () => {
    const { run, executions } = await open();
    expect(await run('list_executions', { status: 'error' })).toMatchObject({ data: [{ id: '7' }] });
    const secrets = {
      password: 'hunter2',
      headers: { 'X-Api-Key': 'k-123' },
      said: 'token=x&api_key=k-456 sk-abcdefghijklmnop',
    };
    executions.set('7', { id: 7, workflowId: 'w1', data: { ...secrets, long: 'word '.repeat(20_000) } });
    const { text } = await run('get_execution', { id: '7' });
    expect(text).not.toMatch(/hunter2|k-123|k-456|sk-abc/);
    expect(text.length).toBeLessThanOrEqual(40_000);
    expect(text).toMatch(/\[cut: \d+ characters in all\]$/);
  });
});

describe('credentials', () => {
  it('are their id, name and type; a new one is a link', async () => {
    const { run, url } = await open();
    const listed = await run('list_credentials');
    expect(listed.data).toEqual([{ id: 'c1', name: 'Mail', type: 'smtp' }]);
    expect(listed.text).not.toContain('hunter2');
    expect(JSON.parse((await run('credential_schema', { type: 'smtp' })).text)).toMatchObject({
      properties: { password: { type: 'string' } },
    });
    expect(await run('create_credential', { type: 'smtp' })).toMatchObject({
      link: `${url}/home/credentials/create`,
    });
  });
});

describe('n8n that cannot be used', () => {
  it('SS-10 the key goes to no other origin', async () => {
    const { run, config, adapter } = await open();
    await adapter.tools('ada');
    const other = await openN8n();
    const moved = await openStandIn(
      (_request, reply) => void reply.writeHead(307, { location: other.url }).end(),
    );
    config.url = moved.url;
    await expect(run('list_workflows')).rejects.toThrow('no tool');
    expect(moved.asked).toHaveLength(1);
    expect(other.asked).toEqual([]);
  });

  it('is tested line by line', async () => {
    const { adapter, url, config, close } = await open();
    expect(await adapter.test('ada')).toEqual([
      { name: 'Address', state: 'ok', text: url },
      { name: 'Key', state: 'ok', text: 'A key is set.' },
      { name: 'Connection', state: 'ok', text: 'n8n accepts your key.' },
      { name: 'Tools', state: 'ok', text: '15 of 15 tools are available with this key.' },
    ]);
    const last = async (userId: string) => (await adapter.test(userId)).at(-1);
    expect(await last('eve')).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('refused your key'),
    });
    expect(await last('bob')).toMatchObject({ state: 'ok', text: 'It answers, and asks for a key.' });
    close();
    expect(await last('ada')).toMatchObject({ state: 'failed', text: 'n8n could not be reached.' });
    const page = await openStandIn((_request, reply) => void reply.end('<html>'));
    config.url = page.url;
    for (const userId of ['ada', 'bob'])
      expect(await last(userId)).toMatchObject({
        state: 'failed',
        text: expect.stringContaining('not JSON'),
      });
    const open200 = await openStandIn((_request, reply) => replyJson(reply, {}));
    config.url = open200.url;
    expect(await last('bob')).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('without a key'),
    });
  });
});
