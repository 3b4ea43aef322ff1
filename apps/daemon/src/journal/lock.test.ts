import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { takeLock } from './lock.ts';

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

it('is held once, and again when it was given back', async () => {
  const folder = makeFolder();
  const giveBack = await takeLock(folder);
  await expect(takeLock(folder)).rejects.toMatchObject({
    code: 'IN_USE',
    message: `Another drawbridge (process ${process.pid}) is connected to this server with this session`,
  });
  await giveBack();
  await (
    await takeLock(folder)
  )();
  expect(readdirSync(folder)).toEqual(['lock.2']);
});

it('of twenty that want it at once, one has it', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'lock.7'), '{"pid":999999999,"began":null}');
  const tries = await Promise.allSettled(Array.from({ length: 20 }, () => takeLock(folder)));
  expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
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
  await expect(takeLock(folder)).rejects.toMatchObject({ code: 'IN_USE' });
  writeFileSync(join(folder, 'lock.1'), JSON.stringify({ ...lock, began: 'another boot 1' }));
  await (
    await takeLock(folder)
  )();
  writeFileSync(join(folder, 'lock.3'), JSON.stringify(lock));
  other.kill('SIGKILL');
  await once(other, 'exit');
  await (
    await takeLock(folder)
  )();
});
