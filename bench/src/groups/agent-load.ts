import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startServer, type Person } from '@drawbridge/e2e/harness';
import { systemClock } from '@drawbridge/kit';
import { firstLoadBytes } from '../first-load.ts';
import type { Group, Stage } from '../group.ts';
import { nowMs } from '../load.ts';
import { heldBytes, memoryFlags } from '../processes.ts';
import { percentileOf } from '../spread.ts';

const base = '/api/v1/instance-ai';
const runs = 20;
const tokensPerSecond = 200;
const threads = 1_000;
const kibibyte = 1024;
/** In KiB, at commit 08463f8: the panel had no chat. */
const firstLoadBefore = 149_159 / kibibyte;

const post = (person: Person, path: string, given: object) =>
  person.fetch(base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(given),
  });

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** Each token is the time at which it is sent. */
const streamTokens = (reply: ServerResponse, forMs: number) => {
  const startMs = nowMs();
  let sent = 0;
  reply.writeHead(200, { 'content-type': 'text/event-stream' });
  const stop = systemClock.every(1_000 / tokensPerSecond, () => {
    const now = nowMs();
    const due = ((now - startMs) * tokensPerSecond) / 1_000;
    for (; sent < due; sent += 1) reply.write(chunk({ content: `t${now.toFixed(1)};` }));
    if (now - startMs < forMs) return;
    stop();
    reply.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  reply.once('close', stop);
};

/** A model that writes for that long, and gives each helper request a word. */
export const startModel = async (forMs: number) => {
  const server = createServer((incoming, reply) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    incoming.on('end', () => {
      if (text.includes('"tools"')) return streamTokens(reply, forMs);
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.end(`${chunk({ content: 'Bench' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close().closeAllConnections() };
};

interface Token {
  sentMs: number;
  seenMs: number;
}

/** Sends a message and reads the thread until its run has ended; when each token was sent, and when it came. */
const tokensOf = (url: string, person: Person, thread: string): Promise<Token[]> =>
  new Promise((resolve, reject) => {
    const tokens: Token[] = [];
    let rest = '';
    const reading = get(
      `${url}${base}/events/${thread}`,
      { headers: person.headers(), agent: false },
      (response) => {
        response.on('error', () => {});
        response.setEncoding('utf8').on('data', (piece: string) => {
          const now = nowMs();
          const lines = (rest + piece).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            if (line.includes('"text-delta"'))
              for (const [, sent] of line.matchAll(/t(\d+\.\d);/g))
                tokens.push({ sentMs: Number(sent), seenMs: now });
            if (!line.includes('"run-finish"')) continue;
            reading.destroy();
            resolve(tokens);
          }
        });
      },
    );
    reading.once('error', reject);
    reading.once('response', () => void post(person, `/chat/${thread}`, { message: 'write' }).catch(reject));
  });

/** Each call gives the time that 99 of 100 tokens take at most, from when all runs write. */
const openStreams = async ({ processes, nodeFlags, whenOver }: Stage, forMs: number) => {
  const model = await startModel(forMs);
  whenOver(model.close);
  const env = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, AGENT_MAX_RUNS_PER_USER: String(runs) };
  const server = await startServer(processes, { LOG_LEVEL: 'info', ...env }, nodeFlags);
  const person = await server.createOwner();
  let made = 0;
  return async () => {
    const names = Array.from({ length: runs }, () => `stream-${(made += 1)}`);
    for (const id of names) await post(person, '/threads', { id });
    const all = await Promise.all(names.map((thread) => tokensOf(server.url, person, thread)));
    const begin = Math.max(...all.map(([first]) => first?.sentMs ?? Number.NaN));
    const tokens = all.flat().filter(({ sentMs }) => sentMs >= begin);
    return percentileOf(
      tokens.map(({ sentMs, seenMs }) => seenMs - sentMs),
      99,
    );
  };
};

/** Makes threads on a server that has made some before; each call gives the bytes that `count` of them hold. */
const openThreads = async ({ processes }: Stage, count: number) => {
  const server = await startServer(processes, { LOG_LEVEL: 'info' }, memoryFlags);
  const person = await server.createOwner();
  let made = 0;
  let asked = 0;
  const make = async () => {
    for (let n = 0; n < count; n += 1) await post(person, '/threads', { id: `idle-${(made += 1)}` });
    return heldBytes(server.process(), (asked += 1));
  };
  let held = await make();
  return async () => {
    const before = held;
    held = await make();
    return held - before;
  };
};

/** What the built-in agent costs while it writes, while it rests, and where it is not opened. */
export const agentLoadGroup: Group<'stream' | 'threads' | 'panel'> = {
  name: 'agent-load',
  rows: {
    stream: {
      measure: `agent: ${runs} runs that stream ${tokensPerSecond} tokens a second each, from the model to the reader of a run: p99`,
      kind: 'number',
      unit: 'ms',
      goal: { atMost: 150 },
    },
    threads: {
      measure: `agent: memory of the server for ${threads.toLocaleString('en')} more idle threads`,
      kind: 'number',
      unit: 'MiB',
      goal: { atMost: 1 },
    },
    panel: {
      measure: 'the first load of the panel without Chat, compressed; the goal is the load before the agent',
      kind: 'number',
      unit: 'KiB',
      goal: { atMost: firstLoadBefore },
    },
  },
  open: async (stage) => {
    const { scaled, inRow } = stage;
    const count = scaled(threads);
    const stream = await openStreams(stage, scaled(4_000));
    const idle = await openThreads(stage, count);
    await stream();
    return async () => ({
      stream: { ours: await inRow('stream', stream) },
      threads: { ours: ((await inRow('threads', idle)) * threads) / count / kibibyte ** 2 },
      panel: { ours: firstLoadBytes() / kibibyte },
    });
  },
};
