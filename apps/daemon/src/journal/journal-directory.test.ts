import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { openJournalDirectory } from './journal-directory.ts';

const clock = createFakeClock();
const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-room-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};
const open = (privateFolder: string, url = 'https://a.example/', host = 'me@here') =>
  openJournalDirectory({ clock, privateFolder, server: { url: new URL(url), host } });

it('is one for each server and machine, and closed to other users', async () => {
  const folder = makeFolder();
  const rooms = [
    await open(folder),
    await open(folder, 'https://b.example/'),
    await open(folder, 'https://a.example/', 'me@there'),
  ];
  expect(new Set(rooms.map(({ instance }) => instance)).size).toBe(3);
  expect(readdirSync(join(folder, 'journal'))).toHaveLength(3);
  expect(statSync(join(folder, 'journal')).mode & 0o777).toBe(0o700);
  await expect(open(folder)).rejects.toMatchObject({ code: 'IN_USE' });
  for (const { close } of rooms) await close();
});

it('is the same room the next time', async () => {
  const folder = makeFolder();
  const first = await open(folder);
  await first.journal.started('r1', { tool: 'write_file', paths: [] });
  await first.close();
  const second = await open(folder);
  expect([second.instance, second.journal.recovered.lost]).toEqual([first.instance, ['r1']]);
  await second.close();
});

it('knows the next time which epoch the server named last', async () => {
  const folder = makeFolder();
  const epochs = [];
  for (const named of [7, null, 8, 8]) {
    const room = await open(folder);
    epochs.push(room.epoch.get());
    room.epoch.set(named);
    await room.close();
    expect(statSync(join(room.folder, 'epoch')).mode & 0o777).toBe(0o600);
  }
  expect(epochs).toEqual([null, 7, null, 8]);
});

it('says where it is when it cannot be used, and is free again', async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, 'journal'), '');
  await expect(open(folder)).rejects.toMatchObject({
    code: 'JOURNAL_UNUSABLE',
    message: expect.stringContaining(join(folder, 'journal')),
  });
  rmSync(join(folder, 'journal'));
  await (await open(folder)).close();
});
