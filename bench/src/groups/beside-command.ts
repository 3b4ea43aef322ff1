import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { newFolder, startDaemon } from '@drawbridge/e2e/harness';
import { rawShot, startBareServer } from '../bare.ts';
import { folderToRead } from '../files.ts';
import type { Figure, Group, RowText, Stage } from '../group.ts';
import { timeOf, type Shot } from '../load.ts';

/** A disk in memory: another one than that of the shared folder. */
const otherDisk = '/dev/shm';

const files = { flat: 20_000, inFolders: 35_000, folders: 5_000, obeyed: 5_000 };

/** 60,000 files: many in one folder, in many folders, and many that other programs obey. */
const fillTree = (root: string): void => {
  const write = (...names: string[]) => writeFileSync(join(root, ...names), 'x');
  mkdirSync(join(root, 'flat'));
  for (let n = 0; n < files.flat; n += 1) write('flat', `file-${n}.txt`);
  for (let n = 0; n < files.folders; n += 1) {
    const folder = join(`area-${n % 10}`, `part-${n % 100}`, `folder-${n}`);
    mkdirSync(join(root, folder), { recursive: true });
    for (let at = 0; at < files.inFolders / files.folders; at += 1) write(folder, `file-${at}.txt`);
    write(folder, 'package.json');
  }
};

const commands = {
  nothing: 'true',
  names:
    'for n in $(seq 1000); do mkdir -p new/$n && echo x > new/$n/.envrc; done; rm -rf new-before; mv new new-before',
  repository:
    'git init --quiet; mkdir .git/big; cd .git/big; for n in $(seq 15); do mkdir $n; (cd $n; seq 1000 | split --lines 1 --suffix-length 3 --numeric-suffixes); done',
};
type Kind = keyof typeof commands;

/** The slowest of the reads that follow each other while a command runs. */
const worstBeside = async (command: Shot, read: Shot): Promise<number> => {
  let isOver = false;
  const running = timeOf(command).finally(() => (isOver = true));
  let worst = 0;
  while (!isOver) worst = Math.max(worst, await timeOf(read));
  await running;
  return worst;
};

/** A daemon whose temporary folders are in `temporary`. */
const startIn = async ({ processes, nodeFlags, whenOver }: Stage, root: string, temporary: string) => {
  const { url, pool } = await startBareServer(processes);
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  const token = `gw_${'b'.repeat(32)}`;
  const flags = ['--permission-shell', 'allow'];
  const daemon = startDaemon(processes, { url, token, root, nodeFlags, flags });
  process.env['TMPDIR'] = before;
  await daemon.process.says(/^\s*connected /m);
  whenOver(() => rmSync(temporary, { recursive: true, force: true }));
  const read = rawShot(pool, '/', { ...folderToRead(root).read });
  const shotOf = (kind: Kind): Shot =>
    rawShot(pool, '/', {
      name: 'shell_execute',
      arguments: { command: commands[kind], timeout: 300_000 },
      expects: 'exitCode',
    });
  return { read, shotOf };
};

const row = (measure: string): RowText => ({ measure, kind: 'number', unit: 'ms', goal: { atMost: 100 } });

export const besideCommandGroup: Group<Kind> = {
  name: 'beside-command',
  rows: {
    nothing: row('the slowest read of 1 KiB beside a command in a tree of 60,000 files'),
    names: row('the same where the command makes 1,000 names that are protected'),
    repository: row('the same where the command makes a repository of 15,000 files, moved to another disk'),
  },
  open: async (stage) => {
    const root = newFolder('tree');
    fillTree(root);
    const tree = await startIn(stage, root, newFolder('temporary'));
    const measure = (kind: Exclude<Kind, 'repository'>) => async (): Promise<Figure> => ({
      ours: await worstBeside(tree.shotOf(kind), tree.read),
    });
    const temporary = mkdtempSync(join(existsSync(otherDisk) ? otherDisk : newFolder('other'), 'bench-'));
    // Below /tmp the temporary folder would keep its own path, which is hidden in the sandbox.
    const home = mkdtempSync(join(homedir(), 'drawbridge-bench-'));
    const empty = await startIn(stage, home, temporary);
    stage.whenOver(() => rmSync(home, { recursive: true, force: true }));
    const other = async (): Promise<Figure> => {
      rmSync(join(home, '.git'), { recursive: true, force: true });
      return { ours: await worstBeside(empty.shotOf('repository'), empty.read) };
    };
    return async () => ({
      nothing: await stage.inRow('nothing', measure('nothing')),
      names: await stage.inRow('names', measure('names')),
      repository: await stage.inRow('repository', other),
    });
  },
};
