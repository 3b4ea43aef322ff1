import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { textOf, tryOut } from '../try-out.ts';

/** The system's clock with every wait made short: time-outs come at once, the order stays. */
const hasty: Clock = {
  now: systemClock.now,
  after: (ms, run) => systemClock.after(ms / 10, run),
  every: (ms, run) => systemClock.every(ms / 10, run),
};

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

/** A number of seconds that no other process sleeps, and whether one does. In a sandbox a process cannot tell its number out here. */
const unique = () => {
  const time = `1000.${Math.random().toString().slice(2, 12)}`;
  const isRunning = () => readdirSync('/proc').some((pid) => commandLine(pid).endsWith(`\0${time}\0`));
  return { time, isRunning };
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

const endings = (families: { shellSandbox: boolean }) => () => {
  const open = async (clock: Clock = systemClock) => tryOut({ modes: { shell: 'allow' }, clock, families });

  // Without a sandbox nothing tells whose a process without its environment is.
  const kept = families.shellSandbox ? ways : ways.slice(0, -1);

  it.each(kept)('SH-36 a time-out ends a process %s', async (_case, command) => {
    const { root, call } = await open(hasty);
    const { time, isRunning } = unique();
    const running = call('shell_execute', { command: command(time), timeout: 20_000 });
    await expect.poll(() => existsSync(join(root, 'started')), { timeout: 10_000 }).toBe(true);
    await expect.poll(isRunning).toBe(true);
    expect(JSON.parse(textOf(await running))).toMatchObject({ timedOut: true, exitCode: null });
    expect(isRunning()).toBe(false);
  });

  it('SH-36 what outlives the command ends with it', async () => {
    const { call } = await open();
    const { time, isRunning } = unique();
    const result = await call('shell_execute', { command: `nohup setsid sleep ${time} >/dev/null 2>&1 &` });
    expect(JSON.parse(textOf(result))).toMatchObject({ exitCode: 0 });
    await expect.poll(isRunning).toBe(false);
  });

  it('SH-36 a cancelled call ends, and says that it had started', async () => {
    const { root, send } = await open();
    const { time, isRunning } = unique();
    const abort = new AbortController();
    const toolCall = { name: 'shell_execute', arguments: { command: `touch started; sleep ${time}` } };
    const running = send({ requestId: 'r', toolCall }, abort.signal);
    await expect.poll(() => existsSync(join(root, 'started')), { timeout: 10_000 }).toBe(true);
    abort.abort();
    expect(await running).toEqual({
      content: [{ type: 'text', text: 'The call was cancelled' }],
      isError: true,
      _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
    });
    expect(isRunning()).toBe(false);
  });

  it('a command may put things in order when it is told to end', async () => {
    const { root, call } = await open(hasty);
    const command = `trap 'echo bye > bye; exit 0' TERM; touch started; sleep 1000 & wait`;
    await call('shell_execute', { command, timeout: 20_000 });
    expect(existsSync(join(root, 'bye'))).toBe(true);
  });
};

describeWith('bubblewrap')('the end of a command in the sandbox', endings({ shellSandbox: true }));
describe('the end of a command without a sandbox', endings({ shellSandbox: false }));
