import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { acquireLock } from './lock.ts';

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const taken = async (folder: string) => {
  const lock = await acquireLock(folder);
  if (lock.kind === 'held') throw new Error(`held by ${lock.pid}`);
  return lock.release;
};

it('is held once, and again when it was given back', async () => {
  const folder = makeFolder();
  const release = await taken(folder);
  expect(await acquireLock(folder)).toEqual({ kind: 'held', pid: process.pid });
  await release();
  await (
    await taken(folder)
  )();
  expect(readdirSync(folder)).toEqual(['lock.2']);
});

it('of twenty that want it at once, one has it', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'lock.7'), '{"pid":999999999,"began":null}');
  const tries = await Promise.all(Array.from({ length: 20 }, () => acquireLock(folder)));
  expect(tries.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
});

it('is never held twice, however often it changes hands', async () => {
  const folder = makeFolder();
  let holders = 0;
  let times = 0;
  const most: number[] = [];
  const holdOften = async () => {
    while (times < 120) {
      const lock = await acquireLock(folder);
      if (lock.kind === 'held') continue;
      holders += 1;
      times += 1;
      most.push(holders);
      await stat(folder);
      holders -= 1;
      await lock.release();
    }
  };
  await Promise.all(Array.from({ length: 8 }, holdOften));
  expect(Math.max(...most)).toBe(1);
});

it('is not taken by one that looked before others had it and cleared away what it saw', async () => {
  const folder = makeFolder();
  // A reader of this one waits until it is written.
  execFileSync('mkfifo', [join(folder, 'lock.5')]);
  const late = acquireLock(folder);
  const writer = await open(join(folder, 'lock.5'), 'w');
  rmSync(join(folder, 'lock.5'));
  writeFileSync(join(folder, 'lock.7'), JSON.stringify({ pid: process.pid, began: null }));
  await writer.close();
  expect(await late).toEqual({ kind: 'held', pid: process.pid });
  expect(readdirSync(folder)).toEqual(['lock.7']);
});

it('is taken from a process that was killed, and from a later one with its number', async () => {
  const folder = makeFolder();
  const other = spawn('sleep', ['60']);
  const began = (pid: number | undefined) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  };
  const lock = { pid: other.pid, began: began(other.pid) };
  writeFileSync(join(folder, 'lock.1'), JSON.stringify(lock));
  expect(await acquireLock(folder)).toEqual({ kind: 'held', pid: other.pid });
  writeFileSync(join(folder, 'lock.1'), JSON.stringify({ ...lock, began: 'another boot 1' }));
  await (
    await taken(folder)
  )();
  writeFileSync(join(folder, 'lock.3'), JSON.stringify(lock));
  other.kill('SIGKILL');
  await once(other, 'exit');
  await (
    await taken(folder)
  )();
});
