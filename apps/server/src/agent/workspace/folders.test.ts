import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createFolders } from './folders.ts';
import { workspaceLimits } from './limits.ts';

it('WK-05 nothing is added to a workspace that cannot be measured', async () => {
  const base = mkdtempSync(join(tmpdir(), 'drawbridge-folders-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  const folders = createFolders(base, { ...workspaceLimits, freeDiskBytes: 0 });
  const thread = { userId: 'ann', threadId: 'one' };
  const folder = (await folders.open(thread)) ?? '';
  expect(await folders.excess(folder)).toBeNull();
  // A file that took its place meanwhile.
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'text');
  expect(await folders.excess(folder)).toBe('The workspace cannot be measured: its folders move. Try again.');
});
