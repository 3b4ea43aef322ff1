import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { sharedShell, openShell } from '../../../../test/support/shell-fixture.ts';

describeWith('bubblewrap')('SH-34 what a command reads', () => {
  const shell = sharedShell();

  it.each<[string, (own: string) => string]>([
    ['the settings', (own) => `cat ${own}/settings.json ${own}/word`],
    ['the settings by a link', (own) => `ln -s ${own} l; cat l/word`],
    ['the settings through /proc', (own) => `cat /proc/self/root${own}/word /proc/1/root${own}/word`],
    [
      'the settings after mounting',
      (own) => `mkdir m; mount --bind / m; cat m${own}/word; umount ${own}; cat ${own}/word`,
    ],
  ])('FS-24 does not read %s', async (_case, command) => {
    const { own, run } = shell();
    writeFileSync(join(own, 'word'), 'sesame');
    expect((await run(`${command(own)}; true`)).stdout).not.toContain('sesame');
  });

  it("knows nothing of the daemon's process", async () => {
    const { run } = shell();
    const found = await run(
      `ls /proc | grep -c '^[0-9]'; cat /proc/${process.pid}/environ /proc/${process.pid}/maps; ls /proc/${process.pid}/fd; cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c '^VITEST='; kill -0 ${process.pid}; echo $?`,
    );
    const lines = found.stdout.trim().split('\n');
    expect([Number(lines[0]) < 12, lines[1], lines[2]]).toEqual([true, '0', '1']);
  });

  it('has no open file but its three, whatever this process was started with', async () => {
    // Any file that a parent may have left open: a folder leads out of every sandbox.
    const { outside, root } = makeFolders();
    const inner = `import { inheritedFiles } from ${JSON.stringify(join(import.meta.dirname, '../inherited-files.ts'))};
      console.log(JSON.stringify(inheritedFiles()))`;
    writeFileSync(join(root, 'inner.ts'), inner);
    const child = spawnSync(process.execPath, [join(root, 'inner.ts')], {
      stdio: ['ignore', 'pipe', 'inherit', ...Array<'ignore'>(37).fill('ignore'), openSync(outside, 'r')],
      cwd: join(import.meta.dirname, '../../../..'),
      encoding: 'utf8',
    });
    expect(JSON.parse(child.stdout)).toContain(40);
    const { run } = shell();
    const { stdout } = await run('ls -l /proc/self/fd');
    const targets = stdout.match(/(?<= -> ).*/g) ?? [];
    expect(targets.filter((one) => !/^(socket:|\/dev\/null$|\/proc\/)/.test(one))).toEqual([]);
  });

  it('FS-20 FS-21 does not read or write what a rule of the person forbids, by any name', async () => {
    const world = await openShell();
    const { root, settings, run } = world;
    for (const name of ['hidden', 'fixed']) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'a.txt'), 'sesame');
    }
    symlinkSync('hidden', join(root, 'link'));
    await settings.addRules('deny', [
      { toolGroup: 'filesystemRead', resource: join(root, 'hidden') },
      { toolGroup: 'filesystemWrite', resource: join(root, 'fixed') },
      { toolGroup: 'filesystemRead', resource: join(root, 'later') },
    ]);
    const read = await run(
      'cat hidden/a.txt link/a.txt "$PWD"/hidden/a.txt; mv hidden moved; cat moved/a.txt; cp -r . "$TMPDIR/c"; cat "$TMPDIR"/c/hidden/a.txt; true',
    );
    expect(read.stdout).toBe('');
    await run('echo x > fixed/a.txt; rm -rf fixed; mv fixed other; mkdir later; echo x > later/a; true');
    expect(readFileSync(join(root, 'fixed', 'a.txt'), 'utf8')).toBe('sesame');
    expect([existsSync(join(root, 'other')), existsSync(join(root, 'later', 'a'))]).toEqual([false, false]);
    expect((await run('cat fixed/a.txt')).stdout).toBe('sesame');
  });
});
