import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { systemClock, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { shared } from '../../../test/support/clean-up.ts';
import { isRunningCommand, uniqueSleep } from '../../../test/support/own-sleep.ts';
import { makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { createSandboxedLauncher, firstInput } from './launch.ts';
import { preludeEnvironment } from './sandbox/prelude.ts';

/** The system's clock; waits of 10 s and more end when the test says so, others ten times as fast. */
const createHastyClock = () => {
  const waiting = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    after: (ms, run) => {
      if (ms < 10_000) return systemClock.after(ms / 10, run);
      waiting.add(run);
      return () => void waiting.delete(run);
    },
  };
  const passTime = () => {
    for (const run of waiting) run();
    waiting.clear();
  };
  return { clock, passTime };
};

const unique = () => {
  const time = uniqueSleep();
  return { time, isRunning: () => isRunningCommand(time) };
};

const ways: [string, (time: string) => string][] = [
  ['in the background', (time) => `sleep ${time} & touch started; wait`],
  ['in another session', (time) => `setsid sleep ${time} & touch started; sleep 1000`],
  ['that ignores TERM', (time) => `trap '' TERM; touch started; sleep ${time}`],
  [
    'that a forked child left behind',
    (time) => `setsid sh -c '(setsid sleep ${time} &) &'; touch started; sleep 1000`,
  ],
  ['without its environment', (time) => `env -i setsid /bin/sleep ${time} & touch started; sleep 1000`],
];

const endings = (toolsets: { shellSandbox: boolean }) => () => {
  const { clock, passTime } = createHastyClock();
  const world = shared(() => openTools({ modes: { shell: 'allow' }, clock, toolsets }));

  /** Runs it with a folder that is empty but for what it makes, until it has started. */
  const started = async (command: string, signal?: AbortSignal) => {
    const { root, send } = world();
    for (const name of readdirSync(root)) rmSync(join(root, name));
    const toolCall = { name: 'shell_execute', arguments: { command, timeout: 20_000 } };
    const running = send({ requestId: nanoid(), toolCall }, signal);
    await expect.poll(() => existsSync(join(root, 'started'))).toBe(true);
    return { root, running };
  };

  // Without a sandbox nothing tells whose a process without its environment is.
  const kept = toolsets.shellSandbox ? ways : ways.slice(0, -1);

  it.each(kept)('SH-36 a time-out ends a process %s', async (_case, command) => {
    const { time, isRunning } = unique();
    const { running } = await started(command(time));
    await expect.poll(isRunning).toBe(true);
    passTime();
    expect(JSON.parse(textOf(await running))).toMatchObject({ timedOut: true, exitCode: null });
    expect(isRunning()).toBe(false);
  });

  it('SH-36 what outlives the command ends with it', async () => {
    const { time, isRunning } = unique();
    const command = `nohup setsid sleep ${time} >/dev/null 2>&1 &`;
    const result = await world().call('shell_execute', { command });
    expect(JSON.parse(textOf(result))).toMatchObject({ exitCode: 0 });
    await expect.poll(isRunning).toBe(false);
  });

  it('SH-36 a cancelled call ends, and says that it had started', async () => {
    const { time, isRunning } = unique();
    const abort = new AbortController();
    const { running } = await started(`touch started; sleep ${time}`, abort.signal);
    abort.abort();
    expect(await running).toEqual({
      content: [{ type: 'text', text: 'The call was cancelled' }],
      isError: true,
      _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
    });
    expect(isRunning()).toBe(false);
  });

  it('a command may put things in order when it is told to end', async () => {
    const { root, running } = await started(
      `trap 'echo bye > bye; exit 0' TERM; touch started; sleep 1000 & wait`,
    );
    passTime();
    await running;
    expect(existsSync(join(root, 'bye'))).toBe(true);
  });
};

describeWith('bubblewrap')('the end of a command in the sandbox', endings({ shellSandbox: true }));
describeWith('bubblewrap')('the end of what started the sandbox', () => {
  it('SH-36 by a signal that leaves it no time ends the command', async () => {
    const { time, isRunning } = unique();
    const { root, own } = makeFolders();
    const need = { text: '', deniedPaths: { read: [], write: [] }, signal: new AbortController().signal };
    const launch = await createSandboxedLauncher({ root, privateFolder: own })(need);
    const started = { folder: root, inode: statSync(root, { bigint: true }).ino, tag: nanoid() };
    const variables = preludeEnvironment({ ...started, text: `sleep ${time}` });
    const starter = spawn('/bin/sh', ['-c', '"$@" & wait', 'sh', launch.file, ...launch.arguments], {
      cwd: root,
      env: { ...launch.environment, ...variables },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    });
    const filter = starter.stdio[firstInput];
    if (filter instanceof Writable) filter.end(launch.inputs[0]);
    await expect.poll(isRunning).toBe(true);
    starter.kill('SIGKILL');
    await expect.poll(isRunning).toBe(false);
    await launch.release();
  });
});
describe('the end of a command without a sandbox', endings({ shellSandbox: false }));
