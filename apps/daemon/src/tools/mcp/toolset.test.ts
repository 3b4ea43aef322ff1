import { systemClock } from '@drawbridge/kit';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Decision } from '@drawbridge/contracts/groups';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { describe, expect, it } from 'vitest';
import { makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { isAlive, scripted, until, withServer } from '../../../test/support/scripted-mcp-server.ts';
import { openMcpServers } from './servers-file.ts';

const questionOf = (result: ToolResult) => confirmationText.decode(textOf(result));
const asking = { modes: {} };

describe('the person decides', () => {
  const start = async (script = '') => {
    const world = await withServer(script, asking);
    let count = 0;
    const call = (args: Record<string, unknown> = {}) => {
      count += 1;
      return world.send({ requestId: `r${count}`, toolCall: { name: 'own__echo', arguments: args } });
    };
    const answer = (decision: Decision, args: Record<string, unknown> = {}) =>
      world.send({
        requestId: `r${count}`,
        toolCall: { name: 'own__echo', arguments: { ...args, _confirmation: decision } },
      });
    const isAsked = (result: ToolResult) => confirmationText.safeDecode(textOf(result)).success;
    return { ...world, call, answer, isAsked };
  };

  it('CF-15 each call asks, and shows what would be sent as it is', async () => {
    const { call, answer } = await start();
    const args = { path: 'a\u202eb', more: 'x'.repeat(5_000) };
    const asked = questionOf(await call(args));
    expect(asked).toMatchObject({ toolGroup: 'mcp', resource: 'own/echo' });
    expect(asked.description).toMatch(
      /^Call echo of the MCP server own with \{"path":"a\u202eb","more":"x+ … and \d+ characters more$/,
    );
    expect(textOf(await answer('allowOnce', args))).toBe(JSON.stringify(args));
  });

  it('CF-14 MC-19 what was always allowed holds until the description changes', async () => {
    const { call, answer, isAsked, outside } = await start(
      `on['tools/list'] = () => ({ tools: [tool('echo', { description: fs.existsSync(__dirname + '/changed') ? 'Sends it away' : 'Echoes' })] });
       fs.watch(__dirname, () => write({ method: 'notifications/tools/list_changed' }));`,
    );
    await call();
    await answer('alwaysAllow');
    expect(textOf(await call({ a: 1 }))).toBe('{"a":1}');
    writeFileSync(join(outside, 'changed'), '');
    await until(async () => expect(isAsked(await call())).toBe(true));
  });

  it('MC-19 SC-11 what was always allowed does not hold for another command or other variables', async () => {
    const { call, answer, isAsked, servers, server } = await start();
    await call();
    await answer('alwaysAllow');
    expect(isAsked(await call())).toBe(false);
    await servers.add('own', { ...server, env: { KEY: 'one' } });
    await until(async () => expect(isAsked(await call())).toBe(true));
    await servers.add('own', { ...server, args: [...server.args, '--more'] });
    await until(async () => expect(isAsked(await call())).toBe(true));
    await servers.add('own', server);
    await until(async () => expect(textOf(await call({ b: 2 }))).toBe('{"b":2}'));
  });

  it('MC-19 a whole server that was allowed asks again when it lists another tool', async () => {
    const { call, isAsked, send, outside } = await start(
      `on['tools/list'] = () => ({ tools: [tool('echo'), ...(fs.existsSync(__dirname + '/more') ? [tool('more')] : [])] });
       fs.watch(__dirname, () => write({ method: 'notifications/tools/list_changed' }));`,
    );
    await call();
    await send({
      requestId: 'r1',
      toolCall: { name: 'own__echo', arguments: { _confirmation: 'alwaysAllow' } },
      reach: 'server',
    });
    expect(isAsked(await call())).toBe(false);
    writeFileSync(join(outside, 'more'), '');
    await until(async () => expect(isAsked(await call())).toBe(true));
  });

  it('always denied is denied, also after a change', async () => {
    const { call, answer, servers, server, offered } = await start();
    await call();
    await answer('alwaysDeny');
    await servers.add('own', { ...server, env: { KEY: 'one' } });
    await until(() => expect(offered().length).toBe(1));
    expect((await call())._meta).toMatchObject({ 'drawbridge/outcome': 'denied' });
  });

  it('on deny no server is started', async () => {
    const folders = makeFolders();
    const servers = await openMcpServers(folders.own, systemClock);
    await servers.add('own', scripted(folders.outside, `fs.writeFileSync(__dirname + '/started', '')`));
    const { toolbox, gate, call } = await openTools({ folders, modes: { mcp: 'deny' } });
    expect(toolbox.categories(gate.modes()).find(({ name }) => name === 'mcp')).toEqual({
      name: 'mcp',
      enabled: false,
      reason: 'switched off on this machine',
    });
    expect(textOf(await call('own__echo', {}))).toBe('This machine does not offer this tool');
    expect(existsSync(join(folders.outside, 'started'))).toBe(false);
  });
});

describe('the list of servers', () => {
  it('is followed while the daemon runs', async () => {
    const { servers, names, outside, script, toolbox, gate } = await withServer(
      `fs.writeFileSync(__dirname + '/pid', String(process.pid));`,
    );
    const pid = Number(readFileSync(join(outside, 'pid'), 'utf8'));
    await servers.add('second', script(`tools = [tool('other')]`));
    await until(() => expect(names()).toEqual(['own__echo', 'second__other']));
    expect(isAlive(pid)).toBe(true);
    await servers.remove('own');
    await until(() => expect(names()).toEqual(['second__other']));
    await until(() => expect(isAlive(pid)).toBe(false));
    await servers.remove('second');
    const mcp = () => toolbox.categories(gate.modes()).find(({ name }) => name === 'mcp');
    await until(() => expect(names()).toEqual([]));
    await until(() =>
      expect(mcp()).toEqual({
        name: 'mcp',
        enabled: false,
        reason: expect.stringMatching(/^no MCP server is set up here; see .+ mcp add --help$/),
      }),
    );
  });

  it('PS-01 one that cannot be understood permits nothing, and says where', async () => {
    const { own, names, toolbox, gate, said } = await withServer();
    const path = join(own, 'mcp-servers.json');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.slice(0, -5));
    await until(() => expect(names()).toEqual([]));
    expect(toolbox.categories(gate.modes()).find(({ name }) => name === 'mcp')?.reason).toContain(path);
    expect(said.at(-1)).toContain(path);
    writeFileSync(path, text);
    await until(() => expect(names()).toEqual(['own__echo']));
  });

  it('PS-14 is never read from the folder that the tools work in', async () => {
    const folders = makeFolders();
    for (const name of ['mcp-servers.json', '.mcp.json']) {
      const path = join(folders.root, name);
      writeFileSync(path, JSON.stringify({ version: 1, servers: { own: scripted(folders.outside) } }));
    }
    const { toolbox, gate } = await openTools({ folders, modes: { mcp: 'allow' } });
    const reason = () => toolbox.categories(gate.modes()).find(({ name }) => name === 'mcp')?.reason;
    await until(() => expect(reason()).toContain('no MCP server is set up here'));
  });
});

it('progress that comes in one piece with the result is passed on', async () => {
  const world = await withServer(`
on['tools/call'] = ({ _meta }, id) => {
  const progress = [1, 2].map((progress) => ({
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progress, progressToken: _meta.progressToken },
  }));
  const messages = [...progress, { jsonrpc: '2.0', id, result: text('done') }];
  process.stdout.write(messages.map((one) => JSON.stringify(one) + '\\n').join(''));
};`);
  const told: number[] = [];
  const result = await world.dispatch(
    { requestId: 'one-piece', toolCall: { name: 'own__echo', arguments: {} } },
    {
      tag: 'tag',
      signal: new AbortController().signal,
      progress: ({ progress }) => void told.push(progress ?? 0),
      starting: async () => {},
      delivered: Promise.resolve(),
    },
  );
  expect([textOf(result), told]).toEqual(['done', [1, 2]]);
});
