import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeTree } from './remove-tree.ts';

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'tree-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'top'));
  writeFileSync(join(folder, 'kept'), 'kept');
  return folder;
};

const deep = (levels: number, length: number) =>
  `n=$(head -c ${length} /dev/zero | tr '\\0' d); i=0; while [ $i -lt ${levels} ]; do mkdir $n; cd -P $n; echo x > f; i=$((i+1)); done`;

const trees: [string, string][] = [
  ['is empty', 'true'],
  ['is deeper than the longest path', deep(60, 200)],
  ['is deeper than the number of open files', deep(300, 1)],
  [
    'has names that are not UTF-8',
    `printf x > "$(printf 'a\\377b')"; mkdir "$(printf 'c\\200')"; echo > "$(printf 'c\\200')/f"`,
  ],
  ['has a folder without rights', 'mkdir -p a/b; echo x > a/b/c; chmod 000 a/b; chmod 000 a'],
  ['has a folder to be written only', 'mkdir a; echo x > a/b; chmod 0300 a'],
  ['has a folder to be read only', 'mkdir -p a/b; echo x > a/b/c; chmod 0400 a/b; chmod 0500 a'],
  ['has links to other places', 'ln -s ../kept l; ln -s .. up; mkdir a; ln -s ../.. a/up'],
  ['has pipes', 'mkfifo p; mkdir a; mkfifo a/p'],
  ['is closed itself', 'mkdir a; chmod 000 .'],
  ['has many entries', 'seq 600 | split -l 1 -a 4 - f; mkdir $(seq 300)'],
];

const own = process.getuid?.() ?? 0;
const module = JSON.stringify(join(import.meta.dirname, 'remove-tree.ts'));

/** In a program of its own: only an ordinary user can be without rights to a folder, and files are few. */
it.each(own === 0 ? [0, 12_345] : [own])(
  'NG-48 NA-13e removes any tree, as the user %i',
  { timeout: 60_000 },
  (uid) => {
    const folder = makeFolder();
    chmodSync(folder, 0o777);
    const as = { cwd: folder, encoding: 'utf8', ...(own === 0 && { uid, gid: uid }) } as const;
    rmSync(join(folder, 'top'), { recursive: true });
    for (const [at, [what, command]] of trees.entries())
      expect([
        what,
        spawnSync('/bin/sh', ['-c', `mkdir ${at}; cd ${at}; ulimit -n 64; ${command}`], as).stderr,
      ]).toEqual([what, '']);
    const text = `import { removeTree } from ${module}; for (let at = 0; at < ${trees.length}; at += 1) await removeTree(String(at));`;
    const program = `ulimit -n 64; exec "$0" --input-type=module --eval "$1"`;
    expect(spawnSync('/bin/sh', ['-c', program, process.execPath, text], as).stderr).toBe('');
    expect([readdirSync(folder), readFileSync(join(folder, 'kept'), 'utf8')]).toEqual([['kept'], 'kept']);
  },
);

it('stops where a folder is refused, and by its signal', async () => {
  const folder = makeFolder();
  mkdirSync(join(folder, 'top/a'));
  const check = () => {
    throw new Error('refused');
  };
  await expect(removeTree(join(folder, 'top'), { check })).rejects.toThrow('refused');
  await expect(
    removeTree(join(folder, 'top'), { signal: AbortSignal.abort(new Error('over')) }),
  ).rejects.toThrow('over');
  await expect(removeTree(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(join(folder, 'top/a'))).toBe(true);
});
