import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { createSandboxedLauncher } from './launch.ts';
import { runCommand } from './run-command.ts';
import { sharedShell } from '../../../test/support/shell-fixture.ts';
import { systemClock } from '@drawbridge/kit';

describeWith('bubblewrap')('what a command leaves behind', () => {
  const shell = sharedShell();

  it.each<[string, Record<string, unknown>]>([
    ['read_file', { filePath: 'esc/secret.txt' }],
    ['list_files', { dirPath: 'esc' }],
    ['get_file_tree', { dirPath: 'esc' }],
    ['search_files', { dirPath: 'esc', query: 'sesame', name: '**' }],
    ['write_file', { filePath: 'esc/new.txt', content: 'x' }],
    ['edit_file', { filePath: 'esc/secret.txt', oldString: 'sesame', newString: 'x' }],
    ['create_directory', { dirPath: 'esc/new' }],
    ['delete', { path: 'esc/secret.txt' }],
    ['move', { source: 'esc/secret.txt', destination: 'here.txt' }],
    ['copy_file', { source: 'esc/secret.txt', destination: 'here.txt' }],
    ['shell_execute', { command: 'cat secret.txt', cwd: 'esc' }],
  ])('FS-05 %s does not follow its link out of the root', async (tool, args) => {
    const { root, outside, run, call } = shell();
    await run(`ln -s ${outside} esc`);
    const result = await call(tool, args);
    expect([result.isError, JSON.stringify(result).includes('"sesame"')]).toEqual([true, false]);
    expect([readFileSync(join(outside, 'secret.txt'), 'utf8'), existsSync(join(root, 'here.txt'))]).toEqual([
      'sesame',
      false,
    ]);
    expect(existsSync(join(outside, 'new.txt')) || existsSync(join(outside, 'new'))).toBe(false);
  });

  it.each([
    ['a FIFO', 'mkfifo thing'],
    ['a link to the kernel', 'ln -s /proc/self/environ thing'],
    ['a link to the root of the daemon', 'ln -s /proc/self/root/etc/passwd thing'],
    ['a link to a device', 'ln -s /dev/zero thing'],
    ['a link to an open file', 'ln -s /proc/self/fd/0 thing'],
    ['a loop of links', 'ln -s thing other; ln -s other thing'],
  ])('FS-10 FS-11 %s is read by no tool', async (_case, command) => {
    const { run, call } = shell();
    await run(command);
    const [read, copied] = await Promise.all([
      call('read_file', { filePath: 'thing' }),
      call('copy_file', { source: 'thing', destination: 'copy' }),
    ]);
    expect([read.isError, copied.isError]).toEqual([true, true]);
  });

  it('FS-05 swaps a folder with a link while file tools write, and nothing gets out', async () => {
    const { root, outside, run, call } = shell();
    const swapping = run(
      `mkdir dir; i=0; while [ ! -e stop ]; do mv dir real; ln -s ${outside} dir; rm dir; mv real dir; i=$((i+1)); done; echo $i`,
    );
    await expect.poll(() => existsSync(join(root, 'dir')) || existsSync(join(root, 'real'))).toBe(true);
    for (let at = 0; at < 100; at += 1) {
      await call('write_file', { filePath: `dir/f${at}.txt`, content: 'x' });
      const read = await call('read_file', { filePath: 'dir/secret.txt' });
      expect(textOf(read)).not.toContain('sesame');
    }
    writeFileSync(join(root, 'stop'), '');
    await swapping;
    expect([existsSync(join(outside, 'f0.txt')), readFileSync(join(outside, 'secret.txt'), 'utf8')]).toEqual([
      false,
      'sesame',
    ]);
  });

  it.each([
    ['gone', (root: string) => renameSync(join(root, 'cwd'), join(root, 'old'))],
    [
      'another one',
      (root: string) => {
        renameSync(join(root, 'cwd'), join(root, 'old'));
        mkdirSync(join(root, 'cwd'));
      },
    ],
  ])('SH-23 does not run where its folder is %s by the time it starts', async (_case, swap) => {
    const { root, own } = makeFolders();
    mkdirSync(join(root, 'cwd'));
    const place = { root, privateFolder: own };
    const launcher = createSandboxedLauncher(place);
    const running = runCommand(
      {
        tag: nanoid(),
        text: 'touch ran "$OLDPWD/ran"',
        cwd: join(root, 'cwd'),
        timeoutMs: 10_000,
        clock: systemClock,
        signal: new AbortController().signal,
        deniedPaths: { read: [], write: [] },
        progress: () => undefined,
      },
      async (given) => {
        const launch = await launcher(given);
        // The outer shell stops until the folder has been swapped: later than any look of ours.
        const waits = `touch ${join(root, 'waits')}; while [ ! -e ${join(root, 'go')} ]; do sleep 0.02; done; cd ${join(root, 'cwd')} 2>/dev/null; `;
        return {
          ...launch,
          file: '/bin/sh',
          arguments: ['-c', `${waits} exec "$@"`, 'sh', launch.file, ...launch.arguments],
        };
      },
    );
    await expect.poll(() => existsSync(join(root, 'waits'))).toBe(true);
    swap(root);
    writeFileSync(join(root, 'go'), '');
    await expect(running).rejects.toMatchObject({ code: 'CHANGED' });
    expect([join(root, 'cwd/ran'), join(root, 'old/ran')].map((path) => existsSync(path))).toEqual([
      false,
      false,
    ]);
  });

  it.each([
    ['sh build.sh', 'build.sh'],
    ['./build.sh', 'build.sh'],
    ['X=1 sh -e ./sub/run.sh now', 'sub/run.sh'],
    ['echo a && node "build.sh"', 'build.sh'],
  ])('SH-24 %s is asked about anew when the script has changed', async (command, script) => {
    const { root, send } = await openTools({ modes: { shell: 'ask' } });
    mkdirSync(join(root, 'sub'));
    for (const name of ['build.sh', 'sub/run.sh'])
      writeFileSync(join(root, name), '#!/bin/sh\ntouch first\n', { mode: 0o755 });
    const call = (requestId: string, more: object = {}) =>
      send({ requestId, toolCall: { name: 'shell_execute', arguments: { command, ...more } } });
    const asks = async (requestId: string, more: object = {}) =>
      textOf(await call(requestId, more)).startsWith('GATEWAY_CONFIRMATION_REQUIRED::');
    expect(await asks('one')).toBe(true);
    writeFileSync(join(root, script), '#!/bin/sh\ntouch second\n');
    expect(await asks('one', { _confirmation: 'allowForSession' })).toBe(true);
    expect(await asks('one', { _confirmation: 'allowForSession' })).toBe(false);
    expect(await asks('two')).toBe(false);
    writeFileSync(join(root, script), '#!/bin/sh\ntouch third\n');
    expect(await asks('three')).toBe(true);
    expect(existsSync(join(root, 'third'))).toBe(false);
  });
});
