import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders, textOf } from '../../../../test/support/tool-fixture.ts';
import { shellLimits } from './prelude.ts';
import { withoutNetwork } from '../config.ts';
import { sharedShell, openShell } from '../../../../test/support/shell-fixture.ts';

describeWith('bubblewrap')('what a command starts with', () => {
  const shell = sharedShell();

  it('SH-39 knows a short list of variables, has no input and no terminal, and is asked for no password', async () => {
    process.env['DRAWBRIDGE_TEST_SECRET'] = 'sess_secret';
    onTestFinished(() => void delete process.env['DRAWBRIDGE_TEST_SECRET']);
    const { run } = shell();
    const { stdout } = await run('env | cut -d= -f1 | sort; tty; readlink /proc/self/fd/0; env');
    expect(stdout).not.toContain('sess_secret');
    expect(stdout).toMatch(/not a tty\n\/dev\/null\n/);
    const own =
      'DRAWBRIDGE_CALL HOME LANG LC_ALL LC_CTYPE LOGNAME OLDPWD PATH PWD PYTHONUNBUFFERED SHLVL TERM TMPDIR TZ USER _'.split(
        ' ',
      );
    const known = [...own, ...Object.keys(withoutNetwork), 'GOFLAGS'];
    const names = stdout.slice(0, stdout.indexOf('not a tty')).trim().split('\n');
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    // What Python prints arrives while it runs, not when it ends.
    expect(stdout).toContain('PYTHONUNBUFFERED=1\n');
    // Go asks git about what stands in for a repository, and does not build where git fails.
    expect(stdout).toContain('GOFLAGS=-buildvcs=false\n');
    expect((await run('git init --quiet')).exitCode).toBe(0);
    expect((await run('env')).stdout).not.toContain('GOFLAGS');
    const asked = await run('sudo -k true </dev/tty; ssh nobody@localhost true; su nobody -c true </dev/tty');
    expect(asked.exitCode).not.toBe(0);
  });

  it('SH-39 finds no program that a command before it left in the root', async () => {
    const folders = makeFolders();
    const path = process.env['PATH'] ?? '';
    process.env['PATH'] = `${join(folders.root, 'bin')}:./bin:bin::${path}`;
    onTestFinished(() => void (process.env['PATH'] = path));
    const { run } = await openShell(folders);
    await run(`mkdir bin; printf '#!/bin/sh\\necho evil\\n' > bin/id; chmod +x bin/id`);
    const [id, found = ''] = (await run('id -u; echo "$PATH"')).stdout.split('\n');
    expect(id).toMatch(/^\d+$/);
    expect(found.split(':').filter((one) => !one.startsWith('/') || one.startsWith(folders.root))).toEqual(
      [],
    );
  });

  it('SH-21 reads no start-up file', async () => {
    const { root, run } = shell();
    for (const name of ['profile', 'env']) writeFileSync(join(root, name), 'echo started');
    const before = {
      ENV: process.env['ENV'],
      BASH_ENV: process.env['BASH_ENV'],
      SHELL: process.env['SHELL'],
    };
    Object.assign(process.env, {
      ENV: join(root, 'env'),
      BASH_ENV: join(root, 'env'),
      SHELL: join(root, 'env'),
    });
    onTestFinished(() => {
      for (const [name, value] of Object.entries(before))
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
    });
    expect((await run('echo "$0"')).stdout).toBe('/bin/sh\n');
  });

  it('SH-40 has limits', async () => {
    const { run } = shell();
    const { stdout } = await run('cat /proc/self/limits /proc/self/oom_score_adj');
    const limit = (name: string) => new RegExp(`^${name} +(\\d+) +(\\d+)`, 'm').exec(stdout)?.slice(1, 3);
    const both = (number: number) => [String(number), String(number)];
    expect({
      files: limit('Max open files'),
      size: limit('Max file size'),
      data: limit('Max data size'),
      processes: limit('Max processes'),
      core: limit('Max core file size'),
      oom: stdout.trim().split('\n').at(-1),
    }).toEqual({
      files: both(shellLimits.openFiles),
      size: both(shellLimits.fileBlocks * 512),
      data: both(shellLimits.memoryKiB * 1024),
      processes: both(shellLimits.processes),
      core: both(0),
      oom: '1000',
    });
  });

  it('SH-40 a file that grows too large and too many open files end the command, not more', async () => {
    const { root, run, script } = shell();
    expect((await run('truncate -s 5G big')).exitCode).not.toBe(0);
    expect(existsSync(join(root, 'big')) && statSync(join(root, 'big')).size > 0).toBe(false);
    const { stdout } = await script(
      `const fs = require('fs'); let n = 0; try { for (;;) { fs.openSync('/dev/null'); n += 1; } } catch (e) { console.log(e.code, n < 4096); }`,
    );
    expect(stdout.trim()).toBe('EMFILE true');
  });

  it('SH-40 many processes and many files go with the command, and other tools answer meanwhile', async () => {
    const { call, run } = shell();
    const running = run(
      'mkdir many; i=0; while [ $i -lt 300 ]; do setsid sleep 1000.25 & : > many/$i; i=$((i+1)); done; touch made',
      {
        timeout: 60_000,
      },
    );
    await expect.poll(async () => (await call('list_files', { dirPath: '.' })).isError).not.toBe(true);
    expect((await running).exitCode).toBe(0);
    await expect
      .poll(() =>
        readdirSync('/proc').some((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').endsWith('\0' + '1000.25\0');
          } catch {
            return false;
          }
        }),
      )
      .toBe(false);
  });

  it('takes a long command, and refuses one that is too long', async () => {
    const { run, call } = shell();
    const text = `'"$(\\`.repeat(4_000);
    const quoted = `: <<'END'\n${text}\nEND\necho ran`;
    expect((await run(quoted)).stdout).toBe('ran\n');
    const tooLong = await call('shell_execute', { command: `: ${'ö'.repeat(60_000)}` });
    expect(textOf(tooLong)).toBe('command: is longer than 100,000 bytes');
  });

  it('says so when the system lets it read a folder only', async () => {
    const folders = makeFolders();
    chmodSync(folders.root, 0o555);
    const { run } = await openShell(folders);
    expect((await run('echo ran')).stdout).toBe('ran\n');
  });
});
