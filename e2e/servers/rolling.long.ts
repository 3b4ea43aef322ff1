import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep, systemClock } from '@drawbridge/kit';
import { startScriptedModel, type ScriptedModel } from '../agent/scripted-model.ts';
import { threadOf } from '../agent/thread.ts';
import { use } from '../agent/world.ts';
import { opIn, prepareMarks, readLeft, toolCallOf } from '../faults/marks.ts';
import {
  connectDaemon,
  createPerson,
  owner,
  postMcp,
  setupToken,
  until,
  type Daemon,
  type Person,
} from '../harness/index.ts';
import { describeWith } from '../services.ts';
import { startServers, type ServerCluster } from '../cluster/cluster.ts';

const rounds = 1;
const pauseMs = 150;

/** Repeats what was refused with 503 and `Retry-After`, as a client should; counts those answers. */
const createPatience = () => {
  const seen = { refused: 0 };
  const patient = async (ask: () => Promise<Response>): Promise<Response> => {
    for (;;) {
      const response = await ask();
      const after = response.headers.get('retry-after');
      if (response.status !== 503 || after === null) return response;
      seen.refused += 1;
      await response.body?.cancel();
      await sleep(systemClock, Number(after) * 1_000);
    }
  };
  return { seen, patient };
};

const edit = (op: string) => toolCallOf({ op, tool: 'edit', takesMs: 0 });

describeWith(
  'postgresql',
  'redis',
  'haproxy',
)('three servers are restarted one after the other', () => {
  let model: ScriptedModel;
  let cluster: ServerCluster;
  let daemon: Daemon;
  let ann: Person;
  let token: string;
  const { seen, patient } = createPatience();
  let count = 0;

  beforeAll(async () => {
    model = await startScriptedModel(({ body, tools }) => {
      const op = opIn(JSON.stringify(body.messages.findLast(({ role }) => role === 'user')?.content ?? ''));
      if (tools.length === 0 || op === undefined || body.messages.at(-1)?.role === 'tool')
        return { text: 'Done.' };
      const { name, arguments: args } = edit(op);
      return use(name, args);
    });
    cluster = await startServers({
      env: {
        AGENT_MODEL: 'stub',
        AGENT_MODEL_URL: model.url,
        AGENT_MAX_RUNS_PER_USER: '20',
        DRAIN_SECONDS: '20',
      },
      isRoundRobin: true,
    });
    const { url, processes } = cluster;
    ann = createPerson(url);
    await ann.api.setup.createOwner.mutate({ setupToken, ...owner });
    daemon = await connectDaemon(processes, {
      person: ann,
      url,
      flags: ['--permission-filesystem-write', 'allow'],
    });
    const scopes = ['agent' as const, 'filesystemRead' as const, 'filesystemWrite' as const];
    ({ token } = await ann.api.tokens.create.mutate({ name: 'script', scopes }));
  });
  afterAll(async () => {
    await cluster?.stop();
    await model?.close();
  });

  const nextOp = (): string => {
    count += 1;
    const op = `op-${String(count).padStart(6, '0')}`;
    prepareMarks(daemon.root, op);
    return op;
  };

  const callByRest = async (): Promise<void> => {
    const op = nextOp();
    const response = await patient(() =>
      fetch(`${cluster.url}/api/v1/calls`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          'idempotency-key': op,
        },
        body: JSON.stringify(edit(op)),
      }),
    );
    expect([op, response.status, await response.json()]).toEqual([
      op,
      200,
      expect.objectContaining({ state: 'succeeded' }),
    ]);
  };

  const callByMcp = async (): Promise<void> => {
    const op = nextOp();
    const body = JSON.stringify({ jsonrpc: '2.0', id: op, method: 'tools/call', params: edit(op) });
    const response = await patient(() => postMcp(cluster.url, { token, body }));
    const text = await response.text();
    expect([op, response.status, text]).toEqual([op, 200, expect.stringContaining('"result"')]);
    expect(text).not.toContain('"isError":true');
  };

  /** A message to the agent, which calls the machine; its reader connects again where its stream is cut. */
  const message = async (): Promise<void> => {
    const op = nextOp();
    const person = {
      ...ann,
      fetch: (path: string, init?: RequestInit) => patient(() => ann.fetch(path, init)),
    };
    const thread = threadOf(person, `thread-${op}`);
    await thread.say(`Please do ${op}`);
    const end = await until(async () => (await thread.of('run-finish').catch(() => []))[0]);
    expect([op, end.payload]).toEqual([op, expect.objectContaining({ status: 'completed' })]);
    const ids = (await thread.events()).map(({ id }) => id);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
  };

  it('no call and no message is lost or made twice, and clients see nothing but 503 with Retry-After', async () => {
    const over = new AbortController();
    const load = async (one: () => Promise<void>) => {
      for (let times = 0; ; times += 1) {
        if (over.signal.aborted) return times;
        await one();
        await sleep(systemClock, pauseMs);
      }
    };
    const loads = [callByRest, callByRest, callByMcp, message, message].map(load);
    const rolled = async () => {
      for (let round = 0; round < rounds; round += 1)
        for (const server of cluster.servers) {
          expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
          await server.restart();
          await until(async () => (await fetch(`${server.url}/ready`)).ok);
          // Longer than the balancer takes to see it.
          await sleep(systemClock, 2_000);
        }
    };
    // What fails first ends the test.
    await Promise.race([rolled(), Promise.all(loads)]);
    over.abort();
    const done = await Promise.all(loads);
    const { edits } = readLeft([daemon.root]);
    console.log({ done, refused: seen.refused });
    expect(edits.filter(({ times, whole }) => times !== 1 || !whole)).toEqual([]);
    expect(edits).toHaveLength(count);
    expect(Math.min(...done)).toBeGreaterThan(rounds * 3);
  });
});
