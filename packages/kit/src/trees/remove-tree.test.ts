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
  ['is deeper than the number of open files', deep(100, 1)],
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
  ['has many entries', 'seq 300 | split -l 1 -a 4 - f; mkdir $(seq 100)'],
];

const own = process.getuid?.() ?? 0;
const module = (name: string) => JSON.stringify(join(import.meta.dirname, `${name}.ts`));

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
    const modes = () =>
      spawnSync('find', ['.', '-printf', '%m %p\\n'], { cwd: folder, encoding: 'utf8' }).stdout;
    const before = modes();
    const run = (text: string) => {
      const imports = `import { removeTree } from ${module('remove-tree')}; import { walkTree } from ${module('walk-tree')}; import { opendir } from 'node:fs/promises';`;
      const loop = `${imports} for (let at = 0; at < ${trees.length}; at += 1) { ${text} }`;
      return spawnSync('/bin/sh', ['-c', program, process.execPath, loop], as);
    };
    const program = `ulimit -n 64; exec "$0" --input-type=module --eval "$1"`;
    const counting =
      "let count = 0; const visit = async ({ base }) => { const names = []; for await (const one of await opendir(base, { encoding: 'latin1' })) { count += 1; if (one.isDirectory()) names.push(one.name); } return names; };" +
      "await walkTree(String(at), { closed: 'lend', visit }); console.log(at + ' ' + count);";
    const counted = before.split('\n').reduce<Record<string, number>>((counts, line) => {
      const [, at, rest] = /^\d+ \.\/(\d+)(\/.*)?$/.exec(line) ?? [];
      return at === undefined
        ? counts
        : { ...counts, [at]: (counts[at] ?? 0) + (rest === undefined ? 0 : 1) };
    }, {});
    const seen = run(counting);
    expect([seen.stderr, seen.stdout]).toEqual([
      '',
      Object.entries(counted)
        .map(([at, count]) => `${at} ${count}\n`)
        .join(''),
    ]);
    // Every mode is what it was.
    expect(modes()).toBe(before);
    expect(run('await removeTree(String(at));').stderr).toBe('');
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
