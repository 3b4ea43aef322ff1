import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder, type Processes } from '@drawbridge/e2e/harness';
import { sleep, systemClock } from '@drawbridge/kit';
import { nowMs } from './load.ts';
import { startBuilt } from './processes.ts';

const clientProcesses = 2;
const limitMs = 180_000;

/** Light machines that reconnect as the real ones do, in processes of their own. */
export const startMachines = (processes: Processes, url: string, keys: readonly string[]) => {
  const share = Math.ceil(keys.length / clientProcesses);
  const folder = newFolder('storm-keys');
  const clients = Array.from({ length: clientProcesses }, (_item, at) => {
    const keysFile = join(folder, `keys-${at}.json`);
    writeFileSync(keysFile, JSON.stringify(keys.slice(at * share, (at + 1) * share)), { mode: 0o600 });
    return startBuilt(processes, { name: 'storm-clients', args: [url, keysFile, String(at * share)] });
  });
  const said = () => clients.flatMap((client) => client.output().split('\n'));
  const ups = () => said().filter((line) => line === 'up;').length;
  return {
    ups,
    /** Resolves when streams were opened so often, counted from the start. */
    untilUps: async (wanted: number): Promise<void> => {
      const untilMs = nowMs() + limitMs;
      while (ups() < wanted) {
        if (nowMs() > untilMs) throw new Error(`${wanted - ups()} of ${keys.length} machines are not back`);
        await sleep(systemClock, 50);
      }
    },
    /** What failed until now, how often. */
    failures: (): Map<string, number> => {
      const failed = new Map<string, number>();
      for (const line of said())
        if (line.startsWith('failed ')) failed.set(line, (failed.get(line) ?? 0) + 1);
      return failed;
    },
  };
};

/** In milliseconds, of sorted times. */
const percentiles = (sorted: readonly number[]): string => {
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? Number.NaN);
  return `${sorted.length} calls, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
};

/** Asks again and again until the returned function is called, which says how long the answers took. */
export const watchLatency = (ask: () => Promise<unknown>): (() => Promise<string>) => {
  let isOver = false;
  let failed = 0;
  const tookMs: number[] = [];
  const watch = async () => {
    while (!isOver) {
      const askedMs = nowMs();
      await ask().catch(() => (failed += 1));
      tookMs.push(nowMs() - askedMs);
      await sleep(systemClock, 10);
    }
  };
  const watching = watch();
  return async () => {
    isOver = true;
    await watching;
    return `${percentiles(tookMs.toSorted((a, b) => a - b))}, ${failed} failed`;
  };
};
