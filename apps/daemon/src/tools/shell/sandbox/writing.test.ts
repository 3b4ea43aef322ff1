import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  lstatSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { sharedShell, openShell } from '../../../../test/support/shell-fixture.ts';

/** Each name with the kind and the size of what stands there. */
const treeOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => {
      const found = lstatSync(join(folder, name));
      return `${name} ${found.isDirectory() ? 'folder' : found.size}`;
    })
    .sort();

describeWith('bubblewrap')('SH-34 what a command writes', () => {
  const shell = sharedShell();

  it.each<[string, (place: { outside: string; own: string }) => string]>([
    ['a file beside the root', ({ outside }) => `echo x > ${outside}/new`],
    ['a file that is there', ({ outside }) => `echo x >> ${outside}/secret.txt`],
    ['through a link', ({ outside }) => `ln -s ${outside} out; echo x > out/new`],
    [
      'through a link in its temporary folder',
      ({ outside }) => `ln -s ${outside} $TMPDIR/o; echo x > $TMPDIR/o/n`,
    ],
    ['the settings', ({ own }) => `echo '{}' > ${own}/settings.json`],
    ['the folder of the settings', ({ own }) => `rm -rf ${own}; mkdir -p ${own}; echo x > ${own}/new`],
    ['the home folder', () => `echo x > "$HOME/drawbridge-was-here"`],
    ['the time of a file', ({ outside }) => `touch -d 2001-01-01 ${outside}/secret.txt`],
    ['the mode of a file', ({ outside }) => `chmod 777 ${outside}/secret.txt`],
    ['by moving a file there', ({ outside }) => `echo x > a; mv a ${outside}/new`],
    ['by a hard link', ({ outside }) => `ln ${outside}/secret.txt here && echo x > here`],
    ['by removing', ({ outside }) => `rm -rf ${outside}`],
    [
      'after mounting anew',
      ({ outside }) => `mount -o remount,rw,bind / / ; mount -o remount,rw / ; echo x > ${outside}/new`,
    ],
    [
      'after unmounting',
      ({ outside, own }) => `umount ${own}; umount -l /; echo x > ${outside}/new; echo x > ${own}/new`,
    ],
    [
      'in namespaces of its own',
      ({ outside }) => `unshare -Urm sh -c 'mount -o remount,rw,bind /; echo x > ${outside}/new'`,
    ],
    ['through the root of process 1', ({ outside }) => `echo x > /proc/1/root${outside}/new`],
    [
      'through the folder of its parent',
      ({ outside }) => `echo x > /proc/$PPID/root${outside}/new; echo x > /proc/$PPID/cwd/../outside/new`,
    ],
    ['by a device', () => `mknod disk b 8 0 && echo x > disk`],
  ])('does not write %s', async (_case, command) => {
    const { outside, own, run } = shell();
    const before = [treeOf(outside), treeOf(own), statSync(join(outside, 'secret.txt'))];
    await run(`${command({ outside, own })}; true`);
    expect([treeOf(outside), treeOf(own), statSync(join(outside, 'secret.txt'))]).toEqual(before);
    expect(existsSync(join(homedir(), 'drawbridge-was-here'))).toBe(false);
  });

  it('writes in the root and in a temporary folder, which is gone afterwards', async () => {
    const { root, run } = shell();
    const { stdout, exitCode } = await run(
      'echo in > in.txt; echo t > "$TMPDIR/t"; cat "$TMPDIR/t"; echo "$TMPDIR"',
    );
    const [text, folder = ''] = stdout.split('\n');
    expect([exitCode, text, readFileSync(join(root, 'in.txt'), 'utf8')]).toEqual([0, 't', 'in\n']);
    expect([folder.startsWith(realpathSync(tmpdir())), existsSync(folder)]).toEqual([true, false]);
  });

  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.mcp.json',
    '.vscode/tasks.json',
    '.claude/settings.json',
    '.bashrc',
    '.envrc',
    '.gitmodules',
    '.ssh/authorized_keys',
  ])('FS-26 does not write %s before it exists', async (path) => {
    const { root, run } = shell();
    await run(`mkdir -p "$(dirname ${path})"; echo x > ${path}; mv ${path} other; true`);
    expect(treeOf(root).filter((name) => !name.startsWith('other '))).toEqual([]);
  });

  it.each([
    ['a hook', 'echo x > .git/hooks/pre-commit'],
    ['the config', 'git config core.fsmonitor ./evil; echo x >> .git/config'],
    ['the folder of hooks', 'mv .git/hooks .git/old; mkdir .git/hooks; echo x > .git/hooks/pre-commit'],
    ['the folder of git', 'mv .git old; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit'],
    ['the folder of git by removing it', 'rm -rf .git; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit'],
    ['a hook of a submodule', 'echo x > .git/modules/sub/hooks/post-checkout'],
    ['the config of a repository further down', 'echo x >> deep/er/.git/config'],
    ['settings of an editor further down', 'echo x > deep/er/.vscode/tasks.json'],
    [
      'by a link',
      'ln -sf ../../config .git/objects/c; echo x >> .git/config; ln -sfn . l; echo x >> l/.git/config',
    ],
  ])('SH-34 does not change what git or an editor runs: %s', async (_case, command) => {
    const { root, run } = shell();
    const put = (path: string, text: string) => {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    const kept = [
      '.git/HEAD',
      '.git/config',
      '.git/hooks/sample',
      '.git/modules/sub/hooks/sample',
      '.git/modules/sub/config',
      'deep/er/.git/config',
      'deep/er/.vscode/tasks.json',
    ];
    for (const path of kept) put(path, 'kept');
    mkdirSync(join(root, '.git/objects'));
    await run(`${command}; true`);
    expect(kept.slice(1).map((path) => readFileSync(join(root, path), 'utf8'))).toEqual(
      kept.slice(1).map(() => 'kept'),
    );
    expect(readdirSync(join(root, '.git/hooks'))).toEqual(['sample']);
    expect(readdirSync(join(root, '.git/modules/sub/hooks'))).toEqual(['sample']);
  });

  it.each([
    ['a substitution', '$(touch pwned)'],
    ['backticks', '`touch pwned`'],
    ['quotes', `a'b"c`],
    ['a semicolon', 'x; touch pwned #'],
    ['a pattern', 'a[b]*?{c,d}'],
    ['a dash', '--bind'],
    ['blanks', '  two  blanks  '],
    ['a backslash', String.raw`a\b`],
    ['a tilde and a dollar', '~$HOME'],
  ])('keeps its shape where a folder has %s in its name', async (_case, name) => {
    const folders = makeFolders();
    const root = join(folders.root, name);
    mkdirSync(join(root, name, '.vscode'), { recursive: true });
    writeFileSync(join(root, name, '.vscode', 'tasks.json'), 'kept');
    const { run } = await openShell({ ...folders, root });
    const { exitCode } = await run('echo x > "$NAME/.vscode/tasks.json"; touch new', {});
    await run('for f in */.vscode/tasks.json ./*/.vscode/tasks.json; do echo x > "$f"; done; true');
    expect([exitCode, existsSync(join(root, 'new'))]).toEqual([0, true]);
    expect(readFileSync(join(root, name, '.vscode', 'tasks.json'), 'utf8')).toBe('kept');
    expect([folders.root, folders.base, root].filter((one) => existsSync(join(one, 'pwned')))).toEqual([]);
  });

  it('leaves nothing of its own in the root', async () => {
    const { root, run } = shell();
    await run('true');
    expect(readdirSync(root)).toEqual([]);
  });
});
