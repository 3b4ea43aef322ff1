import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { makeFolders, openTools } from '../../../../test/support/tool-fixture.ts';
import { maxSearchedFiles } from '../limits.ts';
import { confirmed, linesOf } from './search-hits.ts';

const world = () => {
  const { root, outside, own } = makeFolders();
  mkdirSync(join(root, 'in'));
  writeFileSync(join(root, 'in/a.txt'), 'inside\n');
  writeFileSync(join(outside, 'a.txt'), 'outside\n');
  writeFileSync(join(outside, 'only-outside.txt'), 'outside\n');
  const context = {
    root,
    privateFolder: own,
    clock: systemClock,
    signal: new AbortController().signal,
    tag: 'tag',
    progress: () => undefined,
    large: async () => undefined,
    outside: <T>(wait: () => Promise<T>) => wait(),
    deniedPaths: () => ({ read: [], write: [] }),
    granted: [],
    reading: { mode: () => 'allow' as const, isDenied: (path: string) => path.endsWith('hidden.txt') },
  };
  const swap = () => {
    renameSync(join(root, 'in'), join(root, 'aside'));
    symlinkSync(outside, join(root, 'in'));
  };
  return { root, context, swap };
};
const has = (line: string) => line.includes('outside');

it('FS-07 names nothing that ripgrep found through a link that stood there for a moment', async () => {
  const { context, swap } = world();
  const found = ['in/a.txt', 'in/only-outside.txt'];
  const before = await confirmed(context, found);
  swap();
  expect([before, await confirmed(context, found)]).toEqual([['in/a.txt'], []]);
});

it('FS-07 counts no line of a file that ripgrep read through a link', async () => {
  const { context, swap } = world();
  swap();
  expect(await linesOf(context, ['in/a.txt'], { has, limit: 5 })).toEqual({
    hits: [],
    total: 0,
    complete: true,
  });
});

it('keeps what a rule denies out of names and counts', async () => {
  const { root, context } = world();
  writeFileSync(join(root, 'in/hidden.txt'), 'outside\n');
  expect(await confirmed(context, ['in/hidden.txt', 'in/a.txt'])).toEqual(['in/a.txt']);
});

it('reads so many files and no more, and says so', async () => {
  const { root, call } = await openTools();
  for (let at = 0; at <= maxSearchedFiles; at += 1) writeFileSync(join(root, `f${at}.txt`), 'one\n');
  const search = async (query?: string) =>
    (await call('search_files', { name: '*.txt', maxResults: 1, ...(query && { query }) })).structuredContent;
  expect([await search('one'), await search()]).toEqual([
    expect.objectContaining({ totalMatches: maxSearchedFiles, truncated: true }),
    expect.objectContaining({ totalMatches: maxSearchedFiles + 1, truncated: true }),
  ]);
});
