import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createKeeper } from '../src/kept/index.ts';
import { home, run, setUpEachTest } from './support/start-cli.ts';

setUpEachTest();

const work = () => join(home, 'work');

/** A call that has written a file. */
const write = async (name: string, content: string, requestId = '-call') => {
  const privateFolder = join(home, '.drawbridge');
  mkdirSync(privateFolder, { recursive: true, mode: 0o700 });
  const path = join(work(), name);
  const { keep } = createKeeper({ clock: systemClock, privateFolder });
  const change = { requestId, tool: 'write_file', root: work(), caller: '', resources: [path] };
  const changed = await keep(change, new AbortController().signal);
  writeFileSync(path, content);
  await changed();
};

it('lists what file tools changed, and undoes it: with a yes, and not what has changed since', async () => {
  expect((await run(['undo'])).stdout).toMatch(/^Nothing is kept of changes below /);
  expect((await run(['undo', 'last', '--yes'])).stderr).toMatch(
    /^error {2}Nothing is kept of changes below /,
  );
  writeFileSync(join(work(), 'a.txt'), 'one\n');
  await write('a.txt', 'two\n');
  const [listed] = JSON.parse((await run(['undo', '--json'])).stdout) as { change: string }[];
  expect(listed).toMatchObject({ call: '-call', tool: 'write_file', files: ['a.txt'] });
  const id = listed?.change ?? '';
  expect(await run(['undo', id])).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes.') });
  writeFileSync(join(work(), 'a.txt'), 'three\n');
  const refused = await run(['undo', id, '--yes']);
  expect(refused.stderr).toMatch(/^error {2}Changed again since that call: a\.txt\nnext .*--even-if-changed/);
  const undone = await run(['undo', id, '--yes', '--even-if-changed']);
  expect(undone.stdout).toMatch(/^- three\n\+ one\nundone {8}a\.txt\n/);
  expect(readFileSync(join(work(), 'a.txt'), 'utf8')).toBe('one\n');
  await run(['undo', 'last', '--yes']);
  expect(readFileSync(join(work(), 'a.txt'), 'utf8')).toBe('three\n');
  expect((await run(['undo', 'nothing', '--yes'])).stderr).toMatch(
    /^error {2}Nothing is kept of a change nothing/,
  );
});

it('several changes are undone together, with each file under its name', async () => {
  writeFileSync(join(work(), 'a.txt'), 'one\n');
  await write('a.txt', 'two\n', 'first');
  await write('a.txt', 'three\n', 'second');
  await write('b.txt', 'new\n', 'third');
  const undone = await run(['undo', 'first', 'second', 'third', '--yes']);
  expect(undone.stdout).toMatch(/^= a\.txt\n- three\n\+ one\n= b\.txt\n- new\nundone {8}a\.txt\n/);
  expect(readFileSync(join(work(), 'a.txt'), 'utf8')).toBe('one\n');
  expect(existsSync(join(work(), 'b.txt'))).toBe(false);
});
