import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Browser } from 'playwright-core';
import type { Turn } from './agent/model-turn.ts';
import { startScriptedModel } from './agent/scripted-model.ts';
import { createProcesses, openPage, startMachine, until } from './harness/index.ts';

const steps = 32;
const callsOfStep = 32;
const runs = 2;
const rounds = 5;
const threadId = 'th_long00000000000000000';

/** A long chat, opened from the list of chats: how long that takes, and what it holds in memory then. */
export const measureChat = async (browser: Browser) => {
  const processes = createProcesses();
  let asked = 0;
  const model = await startScriptedModel(({ tools }): Turn => {
    if (tools.length === 0) return { text: 'A long chat' };
    asked += 1;
    if (asked % (steps + 1) === 0) return { text: 'All of it is read.' };
    const calls = Array.from({ length: callsOfStep }, (_, at) => ({
      name: 'read_file',
      arguments: { filePath: `${at}.txt`, startLine: asked, maxLines: 1 },
    }));
    return { text: `Step ${asked}.`, calls };
  });
  try {
    const env = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
    const { server, ann, daemon } = await startMachine(processes, { env });
    const lines = 'a line\n'.repeat(runs * (steps + 1));
    for (let at = 0; at < callsOfStep; at += 1) writeFileSync(join(daemon.root, `${at}.txt`), lines);
    for (let run = 0; run < runs; run += 1) {
      await ann.api.agent.send.mutate({ threadId, message: 'Read', attachments: [], mode: 'reject' });
      await until(async () => {
        // A run asks whether to go on, each few hundred calls.
        for (const { requestId } of await ann.api.agent.asks.query())
          await ann.api.agent.confirm.mutate({ requestId, answer: { kind: 'approval', approved: true } });
        const { threads } = await ann.api.agent.threads.list.query({});
        return threads.some(({ id, status }) => id === threadId && status === 'idle');
      });
    }
    const store = new Database(join(server.dataDir, 'drawbridge.db'));
    const { events } = store.prepare('select max(seq) as events from "agentEvents"').get() as {
      events: number;
    };
    store.close();
    const page = await openPage(browser, { person: ann });
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    const metric = async (wanted: string) => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
    };
    await page.addInitScript(
      'window.longest = 0; new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)))).observe({ type: "longtask" })',
    );
    const times: number[] = [];
    const work: number[] = [];
    const tasks: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await page.goto(`${server.url}/chat`);
      await page.locator('[data-test=thread] a').waitFor();
      const before = await metric('ProcessTime');
      times.push(
        await page.evaluate<number>(`new Promise((resolve) => {
          window.longest = 0;
          const began = performance.now();
          const isShown = () => document.querySelectorAll('[data-test=usage]').length === ${runs};
          const look = () => (isShown() ? resolve(performance.now() - began) : requestAnimationFrame(look));
          document.querySelector('[data-test=thread] a').click();
          look();
        })`),
      );
      work.push(((await metric('ProcessTime')) - before) * 1_000);
      await page.evaluate('new Promise((done) => requestIdleCallback(done))');
      tasks.push(await page.evaluate<number>('window.longest'));
    }
    await devtools.send('HeapProfiler.collectGarbage');
    const middle = (all: number[]) => all.toSorted((a, b) => a - b)[2] ?? Number.NaN;
    return {
      ...{ calls: runs * steps * callsOfStep, events, openedMs: middle(times) },
      ...{ processorMs: middle(work), taskMs: middle(tasks) },
      heapMb: (await metric('JSHeapUsedSize')) / 1e6,
    };
  } finally {
    await model.close();
    await processes.stopAll();
  }
};
