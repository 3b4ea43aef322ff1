import { get } from 'node:http';
import type { Person } from '@drawbridge/e2e/harness';
import { startScriptedModel, type ScriptedModel } from '@drawbridge/e2e/scripted-model';
import { folderToRead } from '../files.ts';
import type { Group, Stage } from '../group.ts';
import { nowMs, timeOf } from '../load.ts';
import { startProduct, trpcShot, type Product } from '../product.ts';
import { middleOf } from '../spread.ts';

const base = '/api/v1/instance-ai';
/** The steps are measured in chats of this many runs. */
const runsPerChat = 10;
/** A run of the script below writes about this many events. */
const eventsPerRun = 6;

/** When the model last began and ended an answer, and when a request came. */
interface Times {
  asked: number;
  answered: number;
}

const startModel = async (read: { name: string; arguments: unknown }) => {
  const times: Times = { asked: 0, answered: 0 };
  const waiting: (() => void)[] = [];
  const model = await startScriptedModel(({ tools, body }) => {
    const last = body.messages.at(-1);
    // A title is asked for beside the run.
    if (tools.length === 0 && body.messages.length > 1) return { text: 'one' };
    times.asked = nowMs();
    for (const done of waiting.splice(0)) done();
    const wantsCall = tools.length > 0 && last?.role === 'user' && JSON.stringify(last).includes('read');
    times.answered = nowMs();
    if (!wantsCall) return { text: 'one' };
    return {
      calls: [{ name: read.name, arguments: Object.fromEntries(Object.entries(read.arguments ?? {})) }],
    };
  });
  return { model, times, nextRequest: () => new Promise<void>((done) => waiting.push(done)) };
};

/** Reads a thread's stream; `until` resolves with the time at which a text has come since `begin`. */
const openEvents = (product: Product, person: Person, thread: string) => {
  let heard = '';
  const waiting = new Set<{ is: string; done: (ms: number) => void }>();
  const url = `${product.server.url}${base}/events/${thread}`;
  const outgoing = get(url, { headers: person.headers(), agent: false }, (response) => {
    response.on('error', () => {});
    response.setEncoding('utf8').on('data', (text: string) => {
      const at = nowMs();
      heard += text;
      for (const wait of waiting) {
        if (!heard.includes(wait.is)) continue;
        waiting.delete(wait);
        wait.done(at);
      }
    });
  });
  outgoing.on('error', () => {});
  return {
    begin: () => {
      heard = '';
    },
    until: (is: string): Promise<number> => new Promise((done) => waiting.add({ is, done })),
    close: () => outgoing.destroy(),
  };
};

const post = async ({ pool, person }: Product, path: string, given: object) => {
  const { statusCode, body } = await pool.request({
    path: base + path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...person.headers() },
    body: JSON.stringify(given),
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(`${path} answered ${statusCode}: ${text}`);
};

/** The first byte of the model's stream, read directly: milliseconds after it began to answer. */
const directMs = async ({ url }: ScriptedModel, times: Times): Promise<number> => {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'stub', stream: true, messages: [{ role: 'user', content: 'x' }] }),
  });
  const reader = response.body?.getReader();
  await reader?.read();
  const took = nowMs() - times.answered;
  await reader?.cancel();
  return took;
};

const times = async (count: number, measure: () => Promise<number>): Promise<number> => {
  const all: number[] = [];
  for (let n = 0; n < count; n += 1) all.push(await measure());
  return middleOf(all);
};

const openWorld = async (stage: Stage) => {
  const { root, read } = folderToRead();
  const scripted = await startModel(read);
  const env = {
    AGENT_MODEL: 'stub',
    AGENT_MODEL_URL: scripted.model.url,
    AGENT_TOKENS_PER_DAY: '1000000000',
  };
  const product = await startProduct(stage, { root, env });
  stage.whenOver(() => void scripted.model.close());
  let threads = 0;
  /** A new thread with one reader. */
  const openThread = async () => {
    const thread = `bench-${(threads += 1)}`;
    await post(product, '/threads', { id: thread });
    const events = openEvents(product, product.person, thread);
    stage.whenOver(events.close);
    const runOnce = async (message: string, is: string) => {
      events.begin();
      const seen = events.until(is);
      const finished = events.until('run-finish');
      await post(product, `/chat/${thread}`, { message });
      return { at: await seen, finished };
    };
    return { thread, runOnce, close: events.close };
  };
  return { read, product, scripted, openThread };
};

/** The built-in agent beside its model and the machine. */
export const agentGroup: Group<'first' | 'step' | 'open'> = {
  name: 'agent',
  rows: {
    first: {
      measure:
        "agent: the model's first text at the reader's stream, later than at a reader of the model: p50",
      kind: 'number',
      unit: 'ms',
      goal: { atMost: 8 },
    },
    step: {
      measure:
        "agent: from the model's answer with one `read_file` to its next request, in chats of 10 runs, against the call through tRPC: p50",
      kind: 'ratio',
      unit: 'ms',
      goal: { atMost: 2.5 },
    },
    open: {
      measure: 'agent: the snapshot of a thread of 500 events: p50',
      kind: 'number',
      unit: 'ms',
      goal: { atMost: 40 },
    },
  },
  open: async (stage) => {
    const { read, product, scripted, openThread } = await openWorld(stage);
    const { thread, runOnce } = await openThread();
    const { model, times: at, nextRequest } = scripted;
    const firstText = async () => {
      const { at: seen, finished } = await runOnce('say', 'text-delta');
      const took = seen - at.answered;
      await finished;
      return took;
    };
    let runs = 0;
    let chat = await openThread();
    const step = async () => {
      if ((runs += 1) % runsPerChat === 0) {
        chat.close();
        chat = await openThread();
      }
      const first = nextRequest();
      const running = chat.runOnce('read', 'tool-result');
      await first;
      const answered = at.answered;
      await nextRequest();
      const took = at.asked - answered;
      await (
        await running
      ).finished;
      return took;
    };
    for (let n = 0; n < 500 / eventsPerRun; n += 1) await firstText();
    const snapshot = {
      pool: product.pool,
      method: 'GET' as const,
      path: `${base}/threads/${thread}/messages?limit=200`,
      headers: product.person.headers(),
      expects: 'nextEventId',
    };
    const call = trpcShot(product, read);
    return async () => ({
      first: await stage.inRow('first', async () => {
        const ours = await times(stage.scaled(100), firstText);
        return { ours: ours - (await times(stage.scaled(100), () => directMs(model, at))) };
      }),
      step: await stage.inRow('step', async () => ({
        ours: await times(stage.scaled(100), step),
        bare: await times(stage.scaled(200), () => timeOf(call)),
      })),
      open: await stage.inRow('open', async () => ({
        ours: await times(stage.scaled(100), () => timeOf(snapshot)),
      })),
    });
  },
};
