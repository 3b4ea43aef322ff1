import { readdirSync, readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../harness/until.ts';
import { fromRoot } from '../harness/paths.ts';

interface ScriptCoverage {
  url: string;
  functions: { functionName: string; ranges: { startOffset: number; endOffset: number; count: number }[] }[];
}

/** What was entered: by file, from the root of the repository, the functions. A function without a name is known by its place. */
export type Entered = Map<string, Set<string>>;

const root = fromRoot('');
const isOurs = /^(apps|packages)\/[^/]+\/src\//;

const pathOf = (url: string) => (url.startsWith('file:') ? fileURLToPath(url) : url).replace(/\?.*$/, '');

/** Called functions of ours. The first range is a function's own; that of a module spans its file and begins at 0. */
const enteredIn = (scripts: ScriptCoverage[]): Entered => {
  const entered: Entered = new Map();
  for (const { url, functions } of scripts) {
    const path = pathOf(url);
    const file = path.startsWith(root) ? path.slice(root.length) : '';
    if (!isOurs.test(file)) continue;
    const names = functions.flatMap(({ functionName, ranges: [own] }) =>
      own !== undefined && own.count > 0 && own.startOffset > 0
        ? [functionName === '' ? `at ${own.startOffset}` : functionName]
        : [],
    );
    if (names.length > 0) entered.set(file, new Set(names));
  }
  return entered;
};

/** Tells what was entered since it was asked the last time. */
export interface Watch {
  take(): Promise<Entered>;
}

/** A process that was started with `coverage-on-signal.mjs` and `NODE_V8_COVERAGE=folder`. */
export const watchProcess = (pid: number, folder: string): Watch => {
  const seen = new Set<string>();
  const isWhole = (file: string) => {
    try {
      JSON.parse(readFileSync(join(folder, file), 'utf8'));
      return true;
    } catch {
      return false;
    }
  };
  return {
    take: async () => {
      process.kill(pid, 'SIGUSR2');
      const file = await until(async () =>
        readdirSync(folder).find((name) => name.includes(`-${pid}-`) && !seen.has(name) && isWhole(name)),
      );
      seen.add(file);
      return enteredIn(JSON.parse(readFileSync(join(folder, file), 'utf8')).result);
    },
  };
};

/** The process of the test itself. */
export const watchThisProcess = async (): Promise<Watch & { stop(): Promise<void> }> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    take: async () => enteredIn((await session.post('Profiler.takePreciseCoverage')).result),
    stop: async () => {
      await session.post('Profiler.stopPreciseCoverage');
      session.disconnect();
    },
  };
};

const both = (one: Entered, other: Entered): Entered => {
  const common: Entered = new Map();
  for (const [file, names] of one) {
    const shared = [...names].filter((name) => other.get(file)?.has(name));
    if (shared.length > 0) common.set(file, new Set(shared));
  }
  return common;
};

const joined = (parts: Entered[]): Entered => new Map(parts.flatMap((part) => [...part]));

/**
 * What `action` enters each time: what only some of the rounds enter is a timer's, or another's.
 * The first round is not looked at, since it also enters what a process does once.
 */
export const enteredBy = async (
  watches: Watch[],
  action: () => Promise<void>,
  rounds = 4,
): Promise<Entered> => {
  await action();
  let common: Entered | undefined;
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(watches.map((watch) => watch.take()));
    await action();
    const parts = await Promise.all(watches.map((watch) => watch.take()));
    common = common === undefined ? joined(parts) : both(common, joined(parts));
  }
  return common ?? new Map();
};
