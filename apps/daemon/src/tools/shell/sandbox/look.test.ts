import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { describeWith } from '../../../../../../e2e/services.ts';
import { runAs, testUsers } from '../../../../test/support/shell-fixture.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';

const ended = z.object({
  stdout: z.string(),
  stderr: z.string(),
  exitCode: z.number(),
  left: z.object({ notes: z.array(z.string()) }),
});
const runIn = async (uid: number, folders: ReturnType<typeof makeFolders>, text: string) => {
  const output = await runAs(uid, folders, text);
  return ended.parse(output.startsWith('{') ? JSON.parse(output) : { stderr: output });
};

/** Goes down until the path has that many bytes, in folders with names of 200. */
const descend = (bytes: number) =>
  `n=$(head -c 200 /dev/zero | tr '\\0' d); while [ $(pwd -P | wc -c) -lt ${bytes - 201} ]; do mkdir -p $n; cd -P $n; done; ` +
  `m=$(head -c $((${bytes} - $(pwd -P | wc -c))) /dev/zero | tr '\\0' e); mkdir $m; cd -P $m;`;
const repository = (name: string) =>
  `mkdir -p ${name}/objects ${name}/refs; echo ref: refs/heads/m > ${name}/HEAD; printf '[core]\\nfsmonitor=touch pwned\\n' > ${name}/config;`;

/** What one command makes, after which the next ones have to work. */
const made: [string, string][] = [
  [
    'NG-10 a protected name at the end of the longest path',
    `(${descend(4_086)} mkdir .vscode; echo x > .vscode/s)`,
  ],
  ['NG-10 a protected name that no path reaches', `(${descend(4_092)} mkdir .vscode; echo x > .envrc)`],
  [
    'NG-10 a repository where its stand-ins have too long a path',
    `(${descend(4_070)} ${repository('.git')})`,
  ],
  ['NG-10 a file that others obey at too long a path', `(${descend(4_090)} echo {} > package.json)`],
  [
    'NG-10 a tree deeper than the longest path',
    `(${descend(3_900)} mkdir -p a/$n; cd a/$n; mkdir -p b/$n; cd b/$n; mkdir .idea)`,
  ],
  ['NG-10 a pipe at the end of the longest path', `(${descend(4_090)} mkfifo p)`],
  [
    'NG-08 a folder with names and without what they lead to',
    'mkdir -p d/sub; echo x > d/.envrc; echo x > d/sub/.envrc; chmod 600 d',
  ],
  ['NG-08 a folder without rights', `mkdir d; (cd d; ${repository('.git')}); chmod 000 d`],
  ['NG-08 a folder to be entered only', `mkdir d; (cd d; ${repository('.git')}); chmod 100 d`],
  [
    'NG-08 a protected name in a folder to be read only',
    'mkdir -p d/e; echo x > d/e/.envrc; chmod 500 d/e d',
  ],
  [
    'NG-08 a repository whose settings are closed',
    `mkdir d; (cd d; ${repository('.git')}); chmod 000 d/.git`,
  ],
  [
    'NG-48 a folder without rights in TMPDIR',
    'mkdir -p $TMPDIR/m/a; touch $TMPDIR/m/a/f; chmod -R a-w $TMPDIR/m; mkdir $TMPDIR/n; chmod 000 $TMPDIR/n',
  ],
  [
    'NG-48 names that are not UTF-8 in TMPDIR',
    `mkdir "$TMPDIR/$(printf 'a\\377')"; touch "$TMPDIR/$(printf 'a\\377')/$(printf 'b\\377')"`,
  ],
  [
    'NG-48 a deep tree in TMPDIR',
    `(cd $TMPDIR; ${descend(3_900)} mkdir -p a/$n; cd a/$n; mkdir -p b/$n; touch b/$n/f)`,
  ],
  [
    'a name of the longest kind',
    'n=$(head -c 255 /dev/zero | tr "\\0" n); mkdir $n; mkdir $n/.vscode; echo x > $n/.vscode/s',
  ],
];

/** Its mounts take seconds in the next command, the same for every user. */
const deepPipe: [string, string] = [
  'NG-10 a pipe below many folders',
  'mkdir -p $(seq -s / 1 900) && mkfifo $(seq -s / 1 900)/p',
];

const search = (folder: string, ...args: string[]) =>
  spawnSync('find', ['.', ...args], { cwd: folder, encoding: 'utf8' }).stdout;

describeWith('bubblewrap')('NG-08 NG-10 NG-48 the look at the folder after a command', () => {
  it.each(testUsers)(
    'leaves the shell usable, and nothing unsafe, as the user %i',
    { timeout: 60_000 },
    async (uid) => {
      const folders = makeFolders();
      const cases = uid === testUsers.at(-1) ? [...made, deepPipe] : made;
      const texts = cases.map(([, text], at) => `(mkdir c${at}; cd c${at}; ${text})`);
      expect(await runIn(uid, folders, `${texts.join('\n')}; echo made`)).toMatchObject({
        stdout: 'made\n',
        exitCode: 0,
      });
      const next = await runIn(uid, folders, 'echo next > next && cat next');
      expect(next).toMatchObject({ stdout: 'next\n', exitCode: 0 });
      expect(search(folders.root, '-path', '*/.git/config', '-exec', 'cat', '{}', '+')).not.toContain(
        'pwned',
      );
      const unsafe = search(folders.root, '-name', '.envrc', '-o', '-name', '.vscode').trim().split('\n');
      // No program reaches these by their path.
      expect(unsafe.filter((path) => join(folders.root, path).length < 4_096)).toEqual([]);
      expect(readdirSync(folders.base).filter((name) => name.startsWith('drawbridge-'))).toEqual([]);
    },
  );
});
