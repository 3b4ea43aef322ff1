import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { newFolder, startDaemon } from '@drawbridge/e2e/harness';
import { rawShot, startBareServer } from '../bare.ts';
import { folderToRead } from '../files.ts';
import type { Group, RowText, Stage } from '../group.ts';
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

/** Milliseconds of a command, and of the slowest of the reads that follow each other while it runs. */
const timesBeside = async (command: Shot, read: Shot): Promise<{ command: number; worst: number }> => {
  let isOver = false;
  const reads = async () => {
    let worst = 0;
    while (!isOver) worst = Math.max(worst, await timeOf(read));
    return worst;
  };
  // Both are awaited at once: where the processes end, both fail.
  const running = timeOf(command).finally(() => (isOver = true));
  const [took, worst] = await Promise.all([running, reads()]);
  return { command: took, worst };
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

const read = (measure: string): RowText => ({ measure, kind: 'number', unit: 'ms', goal: { atMost: 100 } });
const command = (measure: string, atMost: number): RowText => ({
  measure,
  kind: 'number',
  unit: 's',
  goal: { atMost },
});

export const besideCommandGroup: Group<Kind | `${Kind}Took`> = {
  name: 'beside-command',
  // Five rounds of 15 s where the machine does nothing else.
  givenUpMs: 600_000,
  rows: {
    nothing: read('the slowest read of 1 KiB beside a command in a tree of 60,000 files'),
    nothingTook: command('that command, which does nothing', 5),
    names: read('the same where the command makes 1,000 names that are protected'),
    namesTook: command('that command', 20),
    repository: read('the same where the command makes a repository of 15,000 files, moved to another disk'),
    repositoryTook: command('that command', 20),
  },
  open: async (stage) => {
    const root = newFolder('tree');
    fillTree(root);
    const tree = await startIn(stage, root, newFolder('temporary'));
    const temporary = mkdtempSync(join(existsSync(otherDisk) ? otherDisk : newFolder('other'), 'bench-'));
    // Below /tmp the temporary folder would keep its own path, which is hidden in the sandbox.
    const home = mkdtempSync(join(homedir(), 'drawbridge-bench-'));
    stage.whenOver(() => rmSync(home, { recursive: true, force: true }));
    const empty = await startIn(stage, home, temporary);
    const timesOf = (kind: Kind) =>
      stage.inRow(kind, () => {
        const { shotOf, read: reading } = kind === 'repository' ? empty : tree;
        return timesBeside(shotOf(kind), reading);
      });
    return async () => {
      rmSync(join(home, '.git'), { recursive: true, force: true });
      const nothing = await timesOf('nothing');
      const names = await timesOf('names');
      const repository = await timesOf('repository');
      return {
        nothing: { ours: nothing.worst },
        nothingTook: { ours: nothing.command / 1_000 },
        names: { ours: names.worst },
        namesTook: { ours: names.command / 1_000 },
        repository: { ours: repository.worst },
        repositoryTook: { ours: repository.command / 1_000 },
      };
    };
  },
};
