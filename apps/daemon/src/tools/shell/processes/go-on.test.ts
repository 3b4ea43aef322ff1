import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { isRunningCommand, uniqueSleep } from '../../../../test/support/own-sleep.ts';
import { ada, ben, sharedProcesses } from '../../../../test/support/process-fixture.ts';
import { defaultTimeoutMs } from '../command.ts';
import { processLimits } from './limits.ts';
import { createProcesses } from './registry.ts';

/** The system's, but that the time of a command without one is over when the test says so. */
const createClock = () => {
  const commands = new Set<() => void>();
  const clock: Clock = {
    ...systemClock,
    after: (ms, run) => {
      if (ms !== defaultTimeoutMs) return systemClock.after(ms, run);
      commands.add(run);
      return () => void commands.delete(run);
    },
  };
  return { clock, endTime: () => commands.forEach((run) => run()) };
};

describeWith('bubblewrap')('SU-51 a command without a time-out', () => {
  const { clock, endTime } = createClock();
  const world = sharedProcesses({ clock, modes: { shell: 'ask' } });

  /** Writes to both streams, then waits until there is a file `proceed`. */
  const text =
    'echo first; echo second >&2; touch started; until [ -e proceed ]; do sleep 0.02; done; echo last; exit 3';
  const run = async (command: string, more: Record<string, unknown> = {}) => {
    const { callAs, root, ...rest } = await world();
    const answer = callAs(ada, 'shell_execute', { command, ...more });
    await expect.poll(() => existsSync(join(root, 'started'))).toBe(true);
    return { ...rest, callAs, root, answer };
  };

  it('goes on in the background when 30 s are over, with all of its output', async () => {
    const { answer, root, read, callAs } = await run(text, { stdin: 'given' });
    endTime();
    const first = JSON.parse(await answer) as { process: string };
    expect(first).toMatchObject({
      state: 'running',
      output: 'first\nsecond\n',
      notes: [expect.stringContaining('did not end within 30 s and goes on in the background')],
    });
    const { process: id } = first;
    expect(await callAs(ben, 'process_read', { process: id })).toContain('process_list');
    expect(await callAs(ada, 'process_write', { process: id, text: 'x' })).toContain('takes no input');
    writeFileSync(join(root, 'proceed'), '');
    await expect
      .poll(() => read(id, { cursor: 0 }))
      .toMatchObject({
        state: 'ended',
        ended: 'exited',
        exitCode: 3,
        output: 'first\nsecond\nlast\n',
      });
  });

  it('says so in its question, and a time-out does not', async () => {
    const { callAs, questions } = await world();
    const ask = async (args: Record<string, unknown>) => {
      await callAs(ada, 'shell_execute', { command: 'true', ...args });
      return questions.pop();
    };
    expect(JSON.stringify(await ask({}))).toContain('After 30 s it continues in the background');
    expect(JSON.stringify(await ask({ timeout: 30_000 }))).not.toContain('background');
  });

  it('is stopped as any process', async () => {
    const seconds = uniqueSleep();
    const { answer, stop } = await run(`touch started; sleep ${seconds}`);
    endTime();
    const { process: id } = JSON.parse(await answer) as { process: string };
    expect(await stop(id)).toMatchObject({ state: 'ended', ended: 'stopped' });
    expect(isRunningCommand(seconds)).toBe(false);
  });

  it('is stopped when its caller has as many processes as it may have', async () => {
    const { start, callAs, root } = await world();
    for (let at = 0; at < processLimits.ofOneCaller; at += 1) await start('sleep 1000');
    const answer = callAs(ada, 'shell_execute', { command: text });
    await expect.poll(() => existsSync(join(root, 'started'))).toBe(true);
    endTime();
    expect(JSON.parse(await answer)).toMatchObject({
      timedOut: true,
      exitCode: null,
      stdout: 'first\n',
      notes: [expect.stringContaining('`process_start`')],
    });
  });
});

it('a command whose time is over becomes no process once the daemon ends', async () => {
  const processes = createProcesses({ clock: systemClock, access: async () => 'allow' });
  expect(processes.canStart(ada)).toBe(true);
  await processes.close();
  expect(processes.canStart(ada)).toBe(false);
});
