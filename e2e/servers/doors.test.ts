import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Turn } from '../agent/model-turn.ts';
import { startScriptedModel, type ScriptedModel } from '../agent/scripted-model.ts';
import { threadOf } from '../agent/thread.ts';
import { use } from '../agent/world.ts';
import {
  answer,
  connectDaemon,
  createPerson,
  ended,
  freePort,
  openRpc,
  owner,
  postMcp,
  run,
  setupToken,
  textOf,
  until,
  type Daemon,
  type Person,
} from '../harness/index.ts';
import { describeWith } from '../services.ts';
import { servedBy, startBalancer, toServer } from '../cluster/balancer.ts';
import { startServers, type ServerCluster } from '../cluster/cluster.ts';

const approved = { approved: true, resourceDecision: 'allowOnce' } as const;
/** Wherever the machine's stream is: one of these has the caller and the answer at two other servers. */
const places = [1, 2, 3].map((caller) => ({
  caller,
  other: (caller % 3) + 1,
  third: ((caller + 1) % 3) + 1,
}));

const turn = (text: string): Turn => {
  const path = /file:([\w.-]+)/.exec(text)?.[1];
  return path === undefined
    ? { text: 'A title' }
    : use('write_file', { filePath: path, content: 'by the agent' });
};

describeWith(
  'postgresql',
  'redis',
  'haproxy',
)('three servers behind HAProxy', () => {
  let model: ScriptedModel;
  let cluster: ServerCluster;
  let daemon: Daemon;
  let token: string;
  let people: Person[];

  beforeAll(async () => {
    model = await startScriptedModel(({ body, tools }) => {
      const isDone = body.messages.at(-1)?.role === 'tool';
      const asked = body.messages.findLast(({ role }) => role === 'user');
      return isDone || tools.length === 0 ? { text: 'Done.' } : turn(JSON.stringify(asked?.content));
    });
    const env = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
    cluster = await startServers({ env, isRoundRobin: true });
    const { url, processes } = cluster;
    people = [1, 2, 3].map((at) => createPerson(url, { [toServer]: String(at) }));
    await at(1).api.setup.createOwner.mutate({ setupToken, ...owner });
    await Promise.all([at(2), at(3)].map((person) => person.signIn(owner)));
    const person = createPerson(url);
    await person.signIn(owner);
    daemon = await connectDaemon(processes, { person, url });
    writeFileSync(join(daemon.root, 'notes.txt'), 'far away');
    const scopes = ['agent', 'filesystemRead', 'filesystemWrite'] as const;
    ({ token } = await person.api.tokens.create.mutate({ name: 'script', scopes: [...scopes] }));
  });
  afterAll(async () => {
    await cluster?.stop();
    await model?.close();
  });

  const at = (server: number): Person => {
    const person = people[server - 1];
    if (!person) throw new Error(`no server ${server}`);
    return person;
  };
  const askedAt = (server: number) => ({ authorization: `Bearer ${token}`, [toServer]: String(server) });
  /** The open question about a write to that file, answered at a server. */
  const answerAt = async (server: number, path: string) => {
    const { api } = at(server);
    const open = await until(async () =>
      (await api.confirmations.list.query()).find((one) => JSON.stringify(one).includes(path)),
    );
    await api.confirmations.decide.mutate({ confirmationId: open.id, ...approved });
  };
  const written = (path: string) => readFileSync(join(daemon.root, path), 'utf8');

  it('a balancer in turn reaches all three', async () => {
    const names = new Set<string | null>();
    for (let count = 0; count < 6; count += 1)
      names.add((await fetch(`${cluster.url}/health`)).headers.get(servedBy));
    expect([...names].toSorted()).toEqual(['server1', 'server2', 'server3']);
  });

  it('tRPC: a call at one, its answer at another, its result at the third', async () => {
    for (const { caller, other, third } of places) {
      expect(textOf(await run(at(caller), 'read_file', { filePath: 'notes.txt' }))).toContain('far away');
      const path = `trpc-${caller}.txt`;
      const asked = await run(at(caller), 'write_file', { filePath: path, content: 'x' });
      await answer(at(other), asked.requestId, approved);
      expect(await ended(at(third), asked.requestId)).toMatchObject({ state: 'succeeded' });
      expect(written(path)).toBe('x');
    }
  });

  it('REST: a call that waits at one server is answered at another', async () => {
    for (const { caller, other } of places) {
      const path = `rest-${caller}.txt`;
      const call = fetch(`${cluster.url}/api/v1/calls`, {
        method: 'POST',
        headers: { ...askedAt(caller), 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'write_file', arguments: { filePath: path, content: 'x' } }),
      });
      await answerAt(other, path);
      const answered = await call;
      expect([answered.status, answered.headers.get(servedBy), await answered.json()]).toEqual([
        200,
        `server${caller}`,
        expect.objectContaining({ state: 'succeeded' }),
      ]);
      expect(written(path)).toBe('x');
    }
  });

  it('MCP: the same', async () => {
    for (const { caller, other } of places) {
      const path = `mcp-${caller}.txt`;
      const params = { name: 'write_file', arguments: { filePath: path, content: 'x' } };
      const call = postMcp(cluster.url, {
        token,
        headers: { 'mcp-protocol-version': '2025-11-25', [toServer]: String(caller) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      await answerAt(other, path);
      const answered = await call;
      const text = await answered.text();
      expect([answered.headers.get(servedBy), text]).toEqual([
        `server${caller}`,
        expect.not.stringContaining('isError":true'),
      ]);
      expect(written(path)).toBe('x');
    }
  });

  it('JSON-RPC: the same', async () => {
    for (const { caller, other } of places) {
      const path = `rpc-${caller}.txt`;
      const rpc = await openRpc(cluster.url, token, askedAt(caller));
      const call = rpc.call('tools.execute', { tool: 'write_file', args: { filePath: path, content: 'x' } });
      await answerAt(other, path);
      expect((await call).error).toBeUndefined();
      expect(written(path)).toBe('x');
      rpc.drop();
    }
  });

  it('the agent: a message at one, its question answered at another, its events at the third', async () => {
    for (const { caller, other, third } of places) {
      const [path, id] = [`agent-${caller}.txt`, `thread-${caller}`];
      await threadOf(at(caller), id).say(`file:${path}`);
      await answerAt(other, path);
      const reader = threadOf(at(third), id);
      expect(await reader.until('run-finish')).toMatchObject({ payload: { status: 'completed' } });
      expect(written(path)).toBe('by the agent');
    }
  });

  it('sticky: one client stays on one server, and clients are spread over all', async () => {
    const port = await freePort();
    const hosts = cluster.servers.map(({ url }) => new URL(url).host);
    await startBalancer(cluster.processes, { port, servers: hosts });
    const serverOf = async (key: string) => {
      const headers = { 'x-gateway-key': key };
      return (await fetch(`http://127.0.0.1:${port}/health`, { headers })).headers.get(servedBy);
    };
    const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`);
    const first = await Promise.all(keys.map(serverOf));
    expect(new Set(first).size).toBe(3);
    expect(await Promise.all(keys.map(serverOf))).toEqual(first);
  });

  it('while no server is ready the answer is an error with a code, and says when to try again', async () => {
    await Promise.all(cluster.servers.map(({ end }) => end('SIGKILL')));
    const response = await fetch(`${cluster.url}/gateway/machines`);
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      503,
      '2',
      { code: 'SHUTTING_DOWN', message: 'No server is ready' },
    ]);
  });
});
