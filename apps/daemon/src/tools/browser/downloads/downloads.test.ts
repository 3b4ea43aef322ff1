import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import type { Download } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { createDownloads } from './downloads.ts';
import { maxDownloadBytes, maxDownloads, sizeCheckMs } from '../limits.ts';

const openDownloads = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const clock = createFakeClock();
  const said: string[] = [];
  const downloads = createDownloads({ clock, folder, notify: (sentence) => said.push(sentence) });
  const events: string[] = [];
  const add = (name: string, bytes: number) => {
    const path = join(folder, name);
    writeFileSync(path, '');
    let end = (_path: string) => {};
    let fail = (_reason: Error) => {};
    const ended = new Promise<string>((resolve, reject) => {
      end = resolve;
      fail = reject;
    });
    const download = {
      suggestedFilename: () => name,
      path: () => ended,
      cancel: async () => {
        events.push(`cancel ${name}`);
        fail(new Error('cancelled'));
      },
      delete: async () => void events.push(`delete ${name}`),
    };
    // Only these of its many members are used.
    downloads.add(download as unknown as Download);
    truncateSync(path, bytes);
    return () => end(path);
  };
  return { downloads, clock, said, events, add };
};

it('BR-12 a download that grows over the limit is ended while it runs', async () => {
  const { clock, said, events, add } = openDownloads();
  add('big', maxDownloadBytes + 1);
  clock.advance(sizeCheckMs);
  await expect.poll(() => events).toEqual(['cancel big', 'delete big']);
  expect(said).toEqual(['A download of "big" failed or was over 64 MiB.']);
});

it('BR-12 one that was over the limit before it was weighed is not kept', async () => {
  const { downloads, events, add } = openDownloads();
  add('big', maxDownloadBytes + 1)();
  await expect.poll(() => events).toEqual(['delete big']);
  expect(downloads.find('d1')).toBeUndefined();
});

it('BR-12 keeps ten, and lets the oldest go', async () => {
  const { downloads, said, events, add } = openDownloads();
  for (let at = 1; at <= maxDownloads + 1; at += 1) {
    add(`f${at}`, at)();
    await expect.poll(() => said).toHaveLength(at);
  }
  expect(events).toEqual(['delete f1']);
  expect([downloads.find('d1'), downloads.find('d2')?.bytes, downloads.find('d11')?.bytes]).toEqual([
    undefined,
    2,
    11,
  ]);
});
