import { mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { everythingAllowed, makeFolders, openTools } from '../../../test/support/tool-fixture.ts';
import { secret, snapshot } from '../../../test/support/attack-fixture.ts';
import { searchFiles } from './search/search-files.ts';

/** Puts a link to outside in place of a folder and the folder back, without pause, until told to stop. */
const swapper = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { renameSync, rmSync, symlinkSync, unlinkSync } = require('node:fs');
  const { folder, outside, stop } = workerData;
  const aside = folder + '.aside';
  const quietly = (run) => { try { run(); return true; } catch { return false; } };
  // A tool may have made the folder anew where it was missing.
  const insist = (run) => {
    while (!quietly(run) && Atomics.load(stop, 0) === 0) quietly(() => rmSync(folder, { recursive: true }));
  };
  let swaps = 0;
  while (Atomics.load(stop, 0) === 0) {
    if (!quietly(() => renameSync(folder, aside))) continue;
    insist(() => symlinkSync(outside, folder));
    insist(() => unlinkSync(folder));
    insist(() => renameSync(aside, folder));
    swaps += 1;
    // Now and then the folder stays for a moment, so that calls get through too.
    if (swaps % 4 === 0) Atomics.wait(stop, 0, 0, 1);
  }
  parentPort.postMessage(swaps);
`;

const startSwapping = (folder: string, outside: string) => {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(swapper, { eval: true, workerData: { folder, outside, stop } });
  onTestFinished(() => void worker.terminate());
  return async (): Promise<number> => {
    const swaps = new Promise<number>((resolve) => worker.once('message', resolve));
    Atomics.store(stop, 0, 1);
    return swaps;
  };
};

const fill = (folder: string, content: string) => {
  mkdirSync(join(folder, 'deep/er'), { recursive: true });
  for (const path of ['a.txt', 'deep/a.txt', 'deep/er/a.txt']) writeFileSync(join(folder, path), content);
};

const operations = (at: number): [string, Record<string, unknown>][] => {
  const folder = ['in', 'in/deep', 'in/deep/er'][at % 3] ?? 'in';
  return [
    ['read_file', { filePath: `${folder}/a.txt` }],
    ['write_file', { filePath: `${folder}/w${at % 7}.txt`, content: 'mine' }],
    ['write_file', { filePath: `${folder}/n${at % 5}/m/w.txt`, content: 'mine' }],
    ['edit_file', { filePath: `${folder}/a.txt`, oldString: 'inside', newString: 'inside' }],
    ['create_directory', { dirPath: `${folder}/made${at % 5}` }],
    ['copy_file', { sourcePath: `${folder}/a.txt`, destinationPath: `copy${at % 5}.txt` }],
    ['copy_file', { sourcePath: 'b.txt', destinationPath: `${folder}/c${at % 5}.txt` }],
    ['move', { sourcePath: `${folder}/w${at % 7}.txt`, destinationPath: `${folder}/v${at % 7}.txt` }],
    ['delete', { path: `${folder}/v${at % 7}.txt` }],
    ['delete', { path: `${folder}/n${at % 5}` }],
    ['list_files', { dirPath: folder }],
    ['get_file_tree', { dirPath: folder }],
  ];
};

describe('FS-07 a folder that is swapped for a link at full speed', () => {
  it('lets nothing out and nothing in', async () => {
    const { root, outside, call } = await openTools({ modes: everythingAllowed });
    mkdirSync(join(root, 'in'));
    fill(join(root, 'in'), 'inside');
    fill(outside, secret);
    writeFileSync(join(outside, 'only-outside.txt'), secret);
    writeFileSync(join(root, 'b.txt'), 'mine');
    const before = snapshot(outside);
    const stop = startSwapping(join(root, 'in'), outside);
    const counts = { done: 0, refused: 0, leaked: 0 };
    for (let at = 0; at < 100; at += 1) {
      for (const [name, args] of operations(at)) {
        const result = await call(name, args);
        counts[result.isError ? 'refused' : 'done'] += 1;
        const text = JSON.stringify(result);
        if (text.includes(secret) || text.includes('only-outside')) counts.leaked += 1;
      }
    }
    const swaps = await stop();
    expect(snapshot(outside)).toEqual(before);
    expect(
      readdirSync(root, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.txt'))
        .map((path) => readFileSync(join(root, path), 'utf8')),
    ).not.toContain(secret);
    expect([counts.leaked, counts.done > 0, counts.refused > 0, swaps > 0]).toEqual([0, true, true, true]);
  }, 120_000);

  it.each([
    ['text', { name: '**', query: 'inside' }],
    ['names', { name: '**/a.txt' }],
  ])('is not searched for %s', async (_case, input) => {
    const { root, outside, own } = makeFolders();
    fill(join(root, 'in'), 'inside');
    fill(outside, `inside ${secret}`);
    let swapped = false;
    const result = await searchFiles.run(input, {
      root,
      privateFolder: own,
      clock: systemClock,
      signal: new AbortController().signal,
      tag: 'tag',
      progress: () => undefined,
      large: async () => undefined,
      outside: (wait) => wait(),
      deniedPaths: () => ({ read: [], write: [] }),
      granted: [{ toolGroup: 'filesystemRead', resource: `${root}/`, description: '' }],
      // Asked between the search and the reading of what it found: the worst moment for a swap.
      reading: {
        mode: () => 'allow',
        isDenied: () => {
          if (!swapped) {
            swapped = true;
            renameSync(join(root, 'in'), join(root, 'aside'));
            symlinkSync(outside, join(root, 'in'));
          }
          return false;
        },
      },
    });
    expect([swapped, result.structuredContent]).toEqual([
      true,
      expect.objectContaining({ matches: [], totalMatches: 0, truncated: false }),
    ]);
  });
});
