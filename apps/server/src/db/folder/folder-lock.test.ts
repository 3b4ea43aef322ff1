import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readFolderHolder, takeFolder } from './folder-lock.ts';

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'folder-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const taken = (folder: string) => {
  const result = takeFolder(folder);
  if (result.kind === 'held') throw new Error('held');
  return result.lock;
};

/** Another process that takes the folder and stays until it is killed. */
const otherServer = async (folder: string) => {
  const module = JSON.stringify(new URL('./folder-lock.ts', import.meta.url).href);
  const program = `const { takeFolder } = await import(${module});
    const taken = takeFolder(process.argv[1]);
    if (taken.kind === 'taken') taken.lock.setUrl('http://127.0.0.1:5820');
    console.log(taken.kind);
    setInterval(() => {}, 1000);`;
  const args = ['--input-type=module', '-e', program, folder];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, output: String(line).trim() };
};

it('is locked by one server at a time, and free once that one releases it', () => {
  const folder = makeFolder();
  const lock = taken(folder);
  lock.setUrl('http://127.0.0.1:1');
  const holder = { pid: process.pid, host: hostname(), url: 'http://127.0.0.1:1' };
  expect(takeFolder(folder)).toEqual({ kind: 'held', holder });
  for (const name of ['server.json', 'server.lock'])
    expect([name, statSync(join(folder, name)).mode & 0o777]).toEqual([name, 0o600]);
  lock.release();
  expect(readFolderHolder(folder)).toBeNull();
  taken(folder).release();
});

it('names its server, and is free after a kill -9 with files left over', async () => {
  const folder = makeFolder();
  const { child, output } = await otherServer(folder);
  expect(output).toBe('taken');
  expect(readFolderHolder(folder)).toEqual({
    pid: child.pid,
    host: hostname(),
    url: 'http://127.0.0.1:5820',
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  taken(folder).release();
});

it('says with a code that the folder cannot be written', () => {
  const file = join(makeFolder(), 'a-file');
  writeFileSync(file, '');
  expect(() => takeFolder(join(file, 'data'))).toThrow(
    expect.objectContaining({
      code: 'DATA_FOLDER_NOT_WRITABLE',
      message: `The server cannot write to its data folder ${join(file, 'data')} (ENOTDIR)`,
    }),
  );
  expect(() => takeFolder(file)).toThrow(
    expect.objectContaining({
      message: `The data folder ${file} is a file`,
      fix: 'Set DATA_DIR to a folder.',
    }),
  );
  // Its files cannot be looked at, as those of a folder of another user.
  const long = join(makeFolder(), ...Array.from({ length: 25 }, () => 'x'.repeat(199))).slice(0, 4_090);
  expect(() => takeFolder(long)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_NOT_WRITABLE' }));
});
