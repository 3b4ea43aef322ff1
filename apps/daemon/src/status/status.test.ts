import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { createStatusFile, type DaemonStatus } from './index.ts';
import { readStatuses } from './read-status.ts';
import { acquireLock } from '../private-files/lock.ts';

const at = '2026-01-01T00:00:00.000Z';
const first: DaemonStatus = {
  pid: process.pid,
  version: '0.1.0',
  url: 'http://127.0.0.1:5820',
  host: 'ann@desk',
  folder: '/w',
  startedAt: at,
  modes: {
    filesystemRead: 'allow',
    filesystemWrite: 'ask',
    shell: 'deny',
    computer: 'deny',
    browser: 'ask',
    mcp: 'ask',
    system: 'ask',
  },
  categories: [],
  link: { state: 'connecting', since: at },
  heldBack: false,
  calls: { running: 0, ok: 0, failed: 0, denied: 0, asked: 0, cancelled: 0 },
};

const makeRoom = () => {
  const privateFolder = mkdtempSync(join(tmpdir(), 'drawbridge-status-'));
  onTestFinished(() => rmSync(privateFolder, { recursive: true, force: true }));
  const folder = join(privateFolder, 'journal/room');
  mkdirSync(folder, { recursive: true });
  return { privateFolder, folder };
};

it('PS-04 is a file 0600, written at once or within a second, and gone at the end', async () => {
  const { privateFolder, folder } = makeRoom();
  const clock = createFakeClock();
  const lock = await acquireLock(folder);
  const file = createStatusFile(first, { folder, clock });
  const calls = { ...first.calls, ok: 1 };
  file.updateSoon(() => ({ calls }));
  expect(await readStatuses(privateFolder)).toEqual([]);
  clock.advance(1_000);
  await expect.poll(() => readStatuses(privateFolder)).toEqual([{ ...first, calls }]);
  expect(statSync(join(folder, 'status.json')).mode & 0o777).toBe(0o600);
  const link = { state: 'connected' as const, since: at };
  file.update({ link });
  await expect.poll(() => readStatuses(privateFolder)).toEqual([{ ...first, calls, link }]);
  await file.close();
  expect(await readStatuses(privateFolder)).toEqual([]);
  expect(lock.kind).toBe('taken');
});

it.each([
  ['the lock is free', null, first],
  ['another process holds the lock', 1, first],
  ['it is broken', process.pid, { ...first, link: 'yes' }],
])('is not believed when %s', async (_name, holder, content) => {
  const { privateFolder, folder } = makeRoom();
  if (holder === process.pid) await acquireLock(folder);
  if (holder === 1) writeFileSync(join(folder, 'lock.1'), JSON.stringify({ pid: 1, began: null }));
  writeFileSync(join(folder, 'status.json'), JSON.stringify(content));
  expect(await readStatuses(privateFolder)).toEqual([]);
  expect(readFileSync(join(folder, 'status.json'), 'utf8')).toBe(JSON.stringify(content));
});
