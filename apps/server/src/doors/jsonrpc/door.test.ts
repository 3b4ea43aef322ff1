import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { answerNext, online } from '../../../test/rest.ts';
import { newToken, openRpc, openSocket } from '../../../test/rpc.ts';

const connect = async () => {
  const world = await online();
  const { token } = await newToken(world.server, world.cookie);
  return { ...world, token, rpc: await openRpc(world.server, token) };
};

describe('a socket', () => {
  it('answers at /rpc and at /, and closes with 1000', async () => {
    const { server, token, rpc } = await connect();
    expect(await rpc.call('system.info')).toMatchObject({
      id: 1,
      result: { version: '0.1.0', connections: 1 },
    });
    const root = await openRpc(server, token, { path: '/' });
    expect((await root.call('system.info')).result).toMatchObject({ connections: 2 });
    expect((await root.call('system.disconnect')).result).toEqual({ success: true });
    expect(await root.closed).toEqual({ code: 1000, reason: '' });
    expect((await rpc.call('system.capabilities')).result).toMatchObject({
      protocol: { version: 1 },
      scopes: ['filesystemRead', 'agent'],
    });
  });

  it('is refused before it opens', async () => {
    const { server } = await connect();
    expect(await openSocket(server)).toMatchObject({
      kind: 'refused',
      status: 401,
      json: { error: { code: -4 } },
    });
    expect(await openSocket(server, { headers: { authorization: 'Bearer dbt_x' } })).toMatchObject({
      status: 401,
      json: { id: null, error: { code: -5 } },
    });
  });

  it('answers a request whose access cannot be read, and runs nothing of it', async () => {
    const { server, rpc, daemon } = await connect();
    const store = new Database(join(server.dataDir, 'drawbridge.db'));
    store.exec('alter table apikey rename to away');
    const codeNow = async () => (await rpc.call('system.info')).error?.data?.code;
    // What was read is kept for half a second.
    await expect.poll(codeNow).toBe('INTERNAL');
    const read = (path: string) => ({ tool: 'read_file', args: { path } });
    rpc.send({ jsonrpc: '2.0', method: 'tools.execute', params: read('unseen') });
    expect(await codeNow()).toBe('INTERNAL');
    store.exec('alter table away rename to apikey');
    store.close();
    await expect.poll(codeNow).toBeUndefined();
    const answered = rpc.call('tools.execute', read('seen'));
    expect((await answerNext(daemon)).toolCall.arguments).toEqual({ path: 'seen' });
    await answered;
  });

  it('lists and runs tools', async () => {
    const { rpc, daemon } = await connect();
    expect((await rpc.call('tools.list')).result).toMatchObject({
      tools: [{ name: 'read_file', group: 'filesystemRead' }],
      machine: { state: 'connected' },
    });
    const answered = rpc.call('tools.execute', { tool: 'read_file', args: { path: 'a' } });
    await answerNext(daemon);
    expect((await answered).result).toMatchObject({ success: true, output: 'hello', error: null });
    expect((await rpc.call('tools.execute', { tool: 'shell_execute' })).error).toMatchObject({ code: 2 });
    expect((await rpc.call('no.method')).error).toMatchObject({ code: -3 });
  });
});
