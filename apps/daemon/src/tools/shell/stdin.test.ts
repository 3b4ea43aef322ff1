import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { ada, sharedProcesses } from '../../../test/support/process-fixture.ts';
import { sharedShell } from '../../../test/support/shell-fixture.ts';

describeWith('bubblewrap')('the input of a command in the foreground', () => {
  const shell = sharedShell();

  it('SU-55 is written whole, and ends: git apply of 40 KiB', async () => {
    const { run, root } = shell();
    const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at} ${'x'.repeat(25)}`);
    writeFileSync(join(root, 'a.txt'), `${lines.join('\n')}\n`);
    const patch = [
      '--- a/a.txt',
      '+++ b/a.txt',
      '@@ -1,1000 +1,1000 @@',
      '-' + (lines[0] ?? ''),
      '+changed',
      ...lines.slice(1).map((line) => ` ${line}`),
      '',
    ].join('\n');
    expect(patch.length).toBeGreaterThan(35_000);
    expect(await run('git apply', { stdin: patch })).toMatchObject({ exitCode: 0, stderr: '' });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toMatch(/^changed\nline 1 /);
  });

  it('is empty without the argument, and may be left unread', async () => {
    const { run } = shell();
    expect(await run('cat')).toMatchObject({ stdout: '', exitCode: 0 });
    expect(await run('echo done', { stdin: 'x'.repeat(64 * 1024) })).toMatchObject({ stdout: 'done\n' });
    await expect(run('cat', { stdin: 'é'.repeat(64 * 1024) })).rejects.toThrow(
      'stdin: is longer than 64 KiB',
    );
  });

  it.each([
    ['SU-56 a program that reads a line', `python3 -c 'input()'`, 'standard input, which is empty'],
    [
      'a program that asks for a password',
      `echo 'sudo: a terminal is required to read the password' >&2; exit 1`,
      'ask the user',
    ],
    [
      'git without a login',
      `echo "fatal: could not read Username for 'https://x'" >&2; exit 128`,
      'no login of the user',
    ],
    [
      'ssh without a key',
      `echo 'a@b: Permission denied (publickey,password).' >&2; exit 255`,
      'no login of the user, and no key',
    ],
  ])('%s ends at once, and the result says what it wanted', async (_name, command, note) => {
    const { notes } = await shell().run(command);
    expect(notes?.join('\n')).toContain(note);
  });

  it('a command that succeeds wanted nothing', async () => {
    expect((await shell().run(`echo 'EOF when reading a line'`)).notes).toBe(undefined);
  });
});

describeWith('bubblewrap')('questions about input', () => {
  const world = sharedProcesses({ modes: { shell: 'ask' } });

  it('show the text, and an answer is for exactly that', async () => {
    const { callAs, questions, state } = await world();
    state.answer = { decision: 'alwaysAllow', reach: 'exact' };
    const run = (stdin?: string) =>
      callAs(ada, 'shell_execute', { command: 'cat', ...(stdin !== undefined && { stdin }) });
    expect(await run('one')).toContain('one');
    expect(questions[0]?.preview).toMatchObject({ path: 'standard input', text: 'one' });
    state.answer = { decision: 'denyOnce' };
    questions.length = 0;
    expect(await run('one')).toContain('one');
    expect(questions).toEqual([]);
    for (const other of [undefined, 'two']) expect(await run(other)).toContain('denied');
    expect(questions).toHaveLength(2);
  });
});
