import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { newFolder, startDaemon } from '@drawbridge/e2e/harness';
import { rawShot, startBareServer } from '../bare.ts';
import { ratio, type Figure, type Group, type Stage } from '../group.ts';
import { nowMs, timeOf } from '../load.ts';
import { processorMs } from '../processes.ts';

const run = promisify(execFile);

/** What a sandbox needs at least: no network, own processes, the system to be read. */
const bareArguments = '--ro-bind / / --dev /dev --proc /proc --unshare-all --new-session --die-with-parent'
  .split(' ')
  .concat(['/bin/sh', '-c', 'true']);

/** One command, and the process whose time it takes, with all that it has waited for. */
interface Kind {
  pid: number;
  command(): Promise<unknown>;
}

/** A daemon at a bare server of its own, in an empty folder. */
const startIn = async ({ processes, nodeFlags }: Stage, more: string[]): Promise<Kind> => {
  const { url, pool } = await startBareServer(processes);
  const token = `gw_${'b'.repeat(32)}`;
  const flags = ['--permission-shell', 'allow', ...more];
  const daemon = startDaemon(processes, { url, token, root: newFolder('root'), nodeFlags, flags });
  await daemon.process.says(/^\s*connected /m);
  const call = { name: 'shell_execute', arguments: { command: 'true' }, expects: 'exitCode' };
  return { pid: daemon.process.pid, command: () => timeOf(rawShot(pool, '/', call)) };
};

/** Milliseconds of one command: of processors, in the program and in the system, and of the clock. */
interface Cost {
  processorMs: number;
  clockMs: number;
}

const costOf = async ({ pid, command }: Kind, count: number): Promise<Cost> => {
  const before = { processorMs: processorMs(pid), clockMs: nowMs() };
  for (let n = 0; n < count; n += 1) await command();
  return {
    processorMs: (processorMs(pid) - before.processorMs) / count,
    clockMs: (nowMs() - before.clockMs) / count,
  };
};

const against = (ours: Cost, bare: Cost): { processor: Figure; clock: Figure } => ({
  processor: { ours: ours.processorMs, bare: bare.processorMs },
  clock: { ours: ours.clockMs, bare: bare.clockMs },
});

export const sandboxGroup: Group<'bareProcessor' | 'bareClock' | 'openProcessor' | 'openClock'> = {
  name: 'sandbox',
  givenUpMs: 300_000,
  rows: {
    bareProcessor: ratio(
      '`shell_execute` of `true` in the sandbox, against `bwrap` with `sh` itself: processor time',
      'ms',
      { atMost: 6 },
    ),
    bareClock: ratio('the same: time', 'ms', { atMost: 6 }),
    openProcessor: ratio(
      '`shell_execute` of `true` in the sandbox, against a daemon without one: processor time',
      'ms',
      { atMost: 4 },
    ),
    openClock: ratio('the same: time', 'ms', { atMost: 4 }),
  },
  open: async (stage) => {
    const sandboxed = await startIn(stage, []);
    const open = await startIn(stage, ['--dangerously-disable-shell-sandbox']);
    const bare: Kind = { pid: process.pid, command: () => run('bwrap', bareArguments) };
    for (const kind of [sandboxed, open, bare]) await costOf(kind, stage.scaled(10));
    return async () => {
      const count = stage.scaled(20);
      const bareCost = await costOf(bare, count);
      const openCost = await costOf(open, count);
      const cost = await costOf(sandboxed, count);
      const [toBare, toOpen] = [against(cost, bareCost), against(cost, openCost)];
      return {
        bareProcessor: toBare.processor,
        bareClock: toBare.clock,
        openProcessor: toOpen.processor,
        openClock: toOpen.clock,
      };
    };
  },
};
