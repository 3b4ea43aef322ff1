import { createProcesses, type Processes } from '@drawbridge/e2e/harness';
import { sleep, systemClock } from '@drawbridge/kit';
import type { Figure, Group, Stage } from './group.ts';
import { nowMs } from './load.ts';
import type { Options } from './options.ts';
import { cellsOf, type Row } from './table.ts';

const leastRounds = { full: 5, quick: 2 };
/** More rounds are begun while a group has taken less than this. */
const enoughMs = { full: 20_000, quick: 3_000 };
const mostRounds = 15;
/** A group that takes longer is given up, where it names no time of its own. */
const usualGivenUpMs = 120_000;
/** What was started has this long to end. */
const endsWithinMs = 10_000;

const sentenceOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 160) ?? 'failed';

const takeRounds = async (
  round: () => Promise<Record<string, Figure>>,
  kind: 'full' | 'quick',
): Promise<Record<string, Figure>[]> => {
  const startMs = nowMs();
  const rounds: Record<string, Figure>[] = [];
  const isEnough = () =>
    rounds.length >= mostRounds ||
    (rounds.length >= leastRounds[kind] && nowMs() - startMs >= enoughMs[kind]);
  while (!isEnough()) rounds.push(await round());
  return rounds;
};

/** Processes of which those with a profiler can be ended so that they still write what it found. */
const withProfiles = (processes: Processes) => {
  const profiled: ReturnType<Processes['start']>[] = [];
  return {
    start: (command: Parameters<Processes['start']>[0]) => {
      const running = processes.start(command);
      if (command.args.includes('--cpu-prof')) profiled.push(running);
      return running;
    },
    stopAll: async () => {
      await Promise.all(profiled.map((running) => running.end('SIGTERM')));
      await processes.stopAll();
    },
  };
};

/** Sets up a group, runs its rounds, and tears it down. A failure is reported in its rows. */
export const measureGroup = async (group: Group, { quick, profile }: Options): Promise<Row[]> => {
  const processes = withProfiles(createProcesses());
  const { givenUpMs = usualGivenUpMs } = group;
  const kind = quick ? 'quick' : 'full';
  const startMs = nowMs();
  let at: string | undefined;
  const closers: (() => unknown)[] = [];
  const stage: Stage = {
    processes,
    inRow: async (id, measure) => {
      at = group.rows[id]?.measure ?? id;
      const measured = await measure();
      at = undefined;
      return measured;
    },
    whenOver: (close) => void closers.push(close),
    scaled: (count: number) => (quick ? Math.ceil(count / 4) : count),
    nodeFlags: profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`],
  };
  const rowsOf = (rounds: Record<string, Figure>[], problem?: string): Row[] =>
    Object.entries(group.rows).map(([id, text]) => ({
      ...text,
      figures: rounds.flatMap((figures) => figures[id] ?? []),
      ...(problem === undefined ? {} : { problem }),
    }));
  let takeBack = () => {};
  const tooLong = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      const where = at === undefined ? 'between two rows' : `at the row "${at}"`;
      reject(new Error(`given up after ${givenUpMs / 1_000} s ${where}`));
    };
    takeBack = systemClock.after(givenUpMs, giveUp);
  });
  const measured = async () => takeRounds(await group.open(stage), kind);
  try {
    return rowsOf(await Promise.race([measured(), tooLong]));
  } catch (error) {
    return rowsOf([], sentenceOf(error));
  } finally {
    takeBack();
    const closed = Promise.all(closers.map((close) => close())).then(processes.stopAll);
    await Promise.race([closed, sleep(systemClock, endsWithinMs)]);
    console.log(`${group.name}: ${((nowMs() - startMs) / 1_000).toFixed(0)} s`);
  }
};

export const showRows = (rows: readonly Row[]): void => {
  for (const row of rows) console.log(`  ${cellsOf(row).join('  |  ')}`);
};
