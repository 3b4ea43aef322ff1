import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { localProcessesQuery, processesQuery } from '@drawbridge/contracts/machines/processes';
import { systemClock } from '@drawbridge/kit';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { ada, sharedProcesses } from '../../../../test/support/process-fixture.ts';

vi.setConfig({ testTimeout: 30_000 });

const node = JSON.stringify(process.execPath);

describeWith('bubblewrap', 'script')('a process with a terminal', () => {
  const world = sharedProcesses();
  const terminal = {};

  it('has the size that was asked for, a controlling terminal, and the exit code of its command', async () => {
    const { start } = await world();
    const command = 'stty size; tty; [ -t 0 ] && [ -t 1 ] && echo both > /dev/tty; exit 7';
    const more = { terminal: { columns: 91, rows: 23 }, waitFor: ['never'], waitMs: 10_000 };
    expect(await start(command, more)).toMatchObject({
      output: '23 91\n/dev/pts/0\nboth\n',
      state: 'ended',
      exitCode: 7,
    });
  });

  it('SU-41 the REPL of Python keeps what was said before, in five writes', async () => {
    const { start, write } = await world();
    const more = { terminal, input: true, waitFor: ['>>> '], waitMs: 10_000 };
    const { process: id } = await start('python3 -q', more);
    for (const line of ['a = 20', 'def add(b):', '    return a + b', '']) await write(id, `${line}\n`);
    expect((await write(id, 'add(22)\n', { waitMs: 5_000 })).output).toMatch(/^42/m);
  });

  it('SU-41, SU-44 a REPL and a debugger that draw on it, with keys', async () => {
    const { start, write, read } = await world();
    const { process: id } = await start(`${node} -i`, { terminal, input: true, waitFor: ['> '] });
    expect((await write(id, '20 + 22\n')).output).toContain('42');
    expect((await write(id, '', { keys: ['up', 'enter'] })).output).toContain('42');
    await write(id, '', { keys: ['ctrl-d'], waitMs: 0 });
    expect(await read(id, { waitFor: ['never'], waitMs: 10_000 })).toMatchObject({
      state: 'ended',
      ended: 'exited',
      exitCode: 0,
    });
    const inspect = `echo 'const a = 1; console.log(a)' > x.cjs; ${node} inspect --port=0 x.cjs`;
    const { process: debug } = await start(inspect, {
      terminal,
      input: true,
      waitFor: ['debug>'],
      waitMs: 20_000,
    });
    expect((await write(debug, 'exec("20 + 22")\n', { waitMs: 5_000 })).output).toContain('42');
  });

  it('SU-50 a watcher that reads single keys, and redraws its line', async () => {
    const { start, write, root, read } = await world();
    writeFileSync(
      join(root, 'watch.cjs'),
      `process.stdin.setRawMode(true).on('data', (key) => key == 'q' ? process.exit(0) : process.stdout.write('\\rran ' + key + '  '));
       process.stdout.write('\\x1b[2Jpress q to quit');`,
    );
    const { process: id } = await start(`${node} watch.cjs`, { terminal, input: true, waitFor: ['quit'] });
    await write(id, 'r');
    expect((await read(id, { cursor: 0 })).output).toContain('ran r');
    await write(id, 'q', { waitMs: 5_000 });
    expect(await read(id)).toMatchObject({ state: 'ended', exitCode: 0 });
  });

  it('SU-48 control + C interrupts, is not asked about, and job control works', async () => {
    const { start, write, stop } = await world();
    const { process: id } = await start('bash -i 2>&1', { terminal, input: true, waitMs: 3_000 });
    await write(id, 'sleep 1000\n');
    await write(id, '', { keys: ['ctrl-z'] });
    expect((await write(id, 'jobs\n')).output).toMatch(/Stopped +sleep 1000/);
    await write(id, 'fg\n');
    await stop(id, { signal: 'INT' });
    expect((await write(id, 'echo code $?\n')).output).toContain('code 130');
  });

  it.each([
    [
      'a prompt that hides what is typed',
      `stty -echo; printf 'Word? '; read -r x; stty echo; echo got`,
      'Word? ',
    ],
    ['a prompt by its words', `printf 'Password: '; read -r x; echo got`, 'Password: '],
    // Node waits for input without a call of read.
    [
      'a prompt of a program that does not block',
      `node -e "process.stdout.write('Passphrase: '); process.stdin.once('data', () => process.exit(console.log('got')))"`,
      'Passphrase: ',
    ],
  ])('SH-84 %s is not typed into', async (_case, command, prompt) => {
    const { start, read, callAs, toolbox } = await world();
    const { process: id } = await start(command, {
      terminal,
      input: true,
      waitFor: [prompt],
      waitMs: 10_000,
    });
    await expect.poll(async () => (await read(id)).waits).toBe('password');
    const write = (more: Record<string, unknown>) => callAs(ada, 'process_write', { process: id, ...more });
    expect(await write({ text: 'guess\n' })).toContain('drawbridge processes type');
    expect(await write({ keys: ['enter'] })).toContain('drawbridge processes type');
    expect((await read(id, { cursor: 0 })).output).toBe(prompt);
    await toolbox.processes({ type: 'type', process: id, text: 'secret' });
    expect((await read(id, { waitFor: ['got'], waitMs: 5_000 })).output).toContain('got');
  });

  it('SH-84 no server types: only a command on this machine does', () => {
    const query = { type: 'type', process: 'p1-abcdef', text: 'x' };
    expect(localProcessesQuery.safeParse(query).success).toBe(true);
    expect(processesQuery.safeParse(query).success).toBe(false);
  });

  it('what the person types where it is hidden is in no output', async () => {
    const { start, read, toolbox } = await world();
    const command = `stty -echo; printf 'Word? '; read -r x; stty echo; [ "$x" = secret ] && echo right`;
    const { process: id } = await start(command, { terminal, waitFor: ['Word? '], waitMs: 10_000 });
    await toolbox.processes({ type: 'type', process: id, text: 'secret' });
    const { output } = await read(id, { cursor: 0, waitFor: ['right'], waitMs: 5_000 });
    expect(output).toContain('right');
    expect(output).not.toContain('secret');
  });

  it('SH-92 programs that put pipes and devices in the place of their input do not hold the daemon up', async () => {
    const { start, read } = await world();
    const command = `mkfifo wait; (exec < /dev/zero; sleep 1000) & (exec <> wait; sleep 1000) & exec <> wait; echo up; read -r line`;
    const { process: id } = await start(command, { terminal, waitFor: ['up'], waitMs: 10_000 });
    const before = systemClock.now();
    expect(await read(id)).toMatchObject({ state: 'running' });
    expect(systemClock.now() - before).toBeLessThan(2_000);
  });

  it('keys need a terminal, and end of input is control + D in one', async () => {
    const { start, callAs } = await world();
    const { process: plain } = await start('cat');
    expect(await callAs(ada, 'process_write', { process: plain, keys: ['enter'] })).toContain(
      'without `terminal`',
    );
    const { process: id } = await start('cat; echo after', { terminal });
    expect(await callAs(ada, 'process_write', { process: id, endInput: true, waitMs: 5_000 })).toContain(
      'after',
    );
  });
});

describeWith('bubblewrap', 'script')('questions about terminals', () => {
  const world = sharedProcesses({ modes: { shell: 'ask' } });

  it('an answer without a terminal does not count, and keys are named in the question', async () => {
    const { callAs, start, questions, state, root } = await world();
    state.answer = { decision: 'allowForSession', reach: 'exact' };
    const { process: id } = await start('bash -i', { terminal: {}, waitMs: 3_000 });
    await callAs(ada, 'process_start', { command: 'bash -i', waitMs: 0 });
    expect(questions.map(({ description }) => description.includes('in a terminal'))).toEqual([true, false]);
    questions.length = 0;
    state.answer = { decision: 'denyOnce' };
    expect(
      await callAs(ada, 'process_write', { process: id, text: 'touch made', keys: ['enter'] }),
    ).toContain('denied');
    await callAs(ada, 'process_write', { process: id, keys: ['up'] });
    await callAs(ada, 'process_write', { process: id, keys: ['ctrl-c', 'ctrl-c'] });
    expect(questions.map(({ title }) => title)).toEqual([
      `Type touch made + [enter] into ${id}?`,
      `Type [up] into ${id}?`,
    ]);
    expect(existsSync(join(root, 'made'))).toBe(false);
  });
});
