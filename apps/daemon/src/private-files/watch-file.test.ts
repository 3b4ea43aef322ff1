import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { watchFile } from './watch-file.ts';

it('reports a replaced file at once, and within 2 s what the system does not report', async () => {
  const base = mkdtempSync(join(tmpdir(), 'drawbridge-watch-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const folder = join(base, 'own');
  mkdirSync(folder);
  const clock = createFakeClock();
  let changes = 0;
  onTestFinished(watchFile({ folder, name: 'a.json', clock }, () => void (changes += 1)));
  writeFileSync(join(folder, 'other.json'), '{}');
  writeFileSync(join(folder, 'draft'), '{}');
  renameSync(join(folder, 'draft'), join(folder, 'a.json'));
  await expect.poll(() => changes).toBe(1);

  // The watch stays with the folder that was moved away.
  renameSync(folder, join(base, 'before'));
  mkdirSync(folder);
  writeFileSync(join(folder, 'a.json'), '{ }');
  await clock.settle(2_000);
  expect(changes).toBe(2);
});
