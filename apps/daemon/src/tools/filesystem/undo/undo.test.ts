import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { textOf } from '../../../../test/support/tool-fixture.ts';
import { asked, openUndo as open } from '../../../../test/support/undo-fixture.ts';

it.each([
  ['write_file', { filePath: 'a.txt', content: 'second\n' }],
  ['edit_file', { filePath: 'a.txt', oldString: 'first', newString: '$&' }],
  ['write_file', { filePath: 'n/new.txt', content: 'new' }],
  ['delete', { path: 'a.txt' }],
  ['delete', { path: 'd' }],
  ['move', { sourcePath: 'a.txt', destinationPath: 'd/b' }],
  ['move', { sourcePath: 'd', destinationPath: 'moved' }],
  ['copy_file', { sourcePath: 'a.txt', destinationPath: 'd/b' }],
])('%s %j is undone', async (tool, args) => {
  const { run, undo, held } = await open();
  const names = ['a.txt', 'd/b', 'd/e/c', 'n/new.txt', 'moved/b', 'moved/e/c'];
  const before = names.map(held);
  const { requestId } = await run(tool, args);
  const after = names.map(held);
  expect(after).not.toEqual(before);
  expect(await undo(requestId)).not.toHaveProperty('isError');
  expect(names.map(held)).toEqual(before);
  // An undo is a change like another one.
  await undo();
  expect(names.map(held)).toEqual(after);
});

it('bytes and the mode come back as they were', async () => {
  const { run, undo, path } = await open();
  const bytes = Buffer.from([0, 255, 10, 0]);
  writeFileSync(path('bin'), bytes);
  chmodSync(path('bin'), 0o751);
  const { requestId } = await run('delete', { path: 'bin' });
  await undo(requestId);
  expect([readFileSync(path('bin')), statSync(path('bin')).mode & 0o777]).toEqual([bytes, 0o751]);
});

it('a file that has changed since is not touched without a second yes', async () => {
  const { run, undo, held, path } = await open();
  const { requestId } = await run('write_file', { filePath: 'a.txt', content: 'second\n' });
  writeFileSync(path('a.txt'), 'by hand\n');
  const refused = await undo(requestId);
  expect([refused.isError, textOf(refused), held('a.txt')]).toEqual([
    true,
    'Changed again since that call: a.txt',
    'by hand\n',
  ]);
  await undo(requestId, { evenIfChanged: true });
  expect(held('a.txt')).toBe('first\n');
});

it('is asked with the change back, and names what it touches', async () => {
  const { runAllowed, undo, held, path } = await open({
    modes: { filesystemRead: 'allow', filesystemWrite: 'ask' },
  });
  const written = await runAllowed('write_file', { filePath: 'a.txt', content: 'second\n' });
  const made = await runAllowed('write_file', { filePath: 'n/new', content: 'new' });
  const tree = await runAllowed('delete', { path: 'd' });
  expect(asked(await undo(written.requestId))).toMatchObject({
    title: 'Put back a.txt as it was before?',
    preview: { path: 'a.txt', added: 1, removed: 1 },
    resource: path('a.txt'),
  });
  expect(asked(await undo(made.requestId))).toMatchObject({ title: 'Delete n/new again?' });
  expect(asked(await undo(tree.requestId))).toMatchObject({
    title: 'Put back 2 files of d as they were before?',
    preview: {
      added: 2,
      removed: 0,
      hunks: [
        { file: 'd/b', lines: [{ kind: 'added', text: 'd/b' }] },
        { file: 'd/e/c', lines: [{ kind: 'added', text: 'd/e/c' }] },
      ],
    },
    resource: path('d/'),
  });
  writeFileSync(path('a.txt'), 'by hand\n');
  const again = { evenIfChanged: true };
  expect(asked(await undo(written.requestId, again))?.title).toBe(
    'Put back a.txt as it was before, though it has changed again since?',
  );
  await runAllowed('undo_change', { change: written.requestId, ...again });
  expect(held('a.txt')).toBe('first\n');
});

it('UN-04: a question says nothing of a file that may not be read without one', async () => {
  const { runAllowed, undo } = await open({ modes: { filesystemRead: 'ask', filesystemWrite: 'ask' } });
  const written = await runAllowed('write_file', {
    filePath: 'a.txt',
    content: 'second\n',
  });
  const question = asked(await undo(written.requestId));
  expect([question?.title, question?.preview]).toEqual(['Put back a.txt as it was before?', undefined]);
});

it('without a call it is the newest change of the same caller', async () => {
  const { run, undo, held } = await open();
  await run('write_file', { filePath: 'a.txt', content: 'second\n' });
  await run('write_file', { filePath: 'd/b', content: 'other' }, { id: 'token:2', name: 'Two' });
  await undo();
  expect([held('a.txt'), held('d/b')]).toEqual(['first\n', 'other']);
});

it.each([
  ['an unknown call', 'nothing'],
  ['a path', '../../etc'],
])('%s is refused', async (_name, change) => {
  const { undo } = await open();
  expect(textOf(await undo(change))).toMatch(/^Nothing is kept of this change/);
});

it('UN-01: a link that stands where the file was is not followed', async () => {
  const { run, undo, path, outside } = await open();
  writeFileSync(join(outside, 'secret'), 'secret');
  const { requestId } = await run('delete', { path: 'a.txt' });
  symlinkSync(join(outside, 'secret'), path('a.txt'));
  const tree = await run('delete', { path: 'd' });
  symlinkSync(outside, path('d'));
  for (const change of [requestId, tree.requestId])
    expect(await undo(change, { evenIfChanged: true })).toHaveProperty('isError', true);
  expect([readdirSync(outside), readFileSync(join(outside, 'secret'), 'utf8')]).toEqual([
    ['secret'],
    'secret',
  ]);
});

const notGranted = 'Access denied: this is not what was allowed';

it('UN-08: a folder on the way that has become a link to another one gets nothing', async () => {
  const { run, undo, path } = await open();
  const { requestId } = await run('delete', { path: 'd' });
  mkdirSync(path('d/other'), { recursive: true });
  symlinkSync(path('d/other'), path('d/e'));
  expect(textOf(await undo(requestId))).toBe(notGranted);
  expect(readdirSync(path('d/other'))).toEqual([]);
});

it('UN-08: a folder that has become a link is refused before a question', async () => {
  const { run, undo, path } = await open();
  const { requestId } = await run('delete', { path: 'd' });
  mkdirSync(path('other'));
  symlinkSync(path('other'), path('d'));
  expect(textOf(await undo(requestId))).toBe('This is not a regular file');
  expect(readdirSync(path('other'))).toEqual([]);
});

it('UN-09: a file that the call was not allowed to write stays as it is', async () => {
  const { run, settings, undo, kept, path, held } = await open();
  const { requestId } = await run('write_file', { filePath: 'a.txt', content: 'second\n' });
  const file = join(settings.folder, 'kept', kept()[0] ?? '', 'change.json');
  const change = readFileSync(file, 'utf8');
  writeFileSync(file, change.replace(`"path":"${path('a.txt')}"`, `"path":"${path('d/b')}"`));
  expect(textOf(await undo(requestId, { evenIfChanged: true }))).toBe(notGranted);
  expect([held('a.txt'), held('d/b')]).toEqual(['second\n', 'd/b']);
});

it('a file that the call made and that is gone already is no failure', async () => {
  const { run, undo, path, held } = await open();
  const { requestId } = await run('write_file', { filePath: 'n/new.txt', content: 'new' });
  unlinkSync(path('n/new.txt'));
  expect(await undo(requestId, { evenIfChanged: true })).not.toHaveProperty('isError');
  expect(held('n/new.txt')).toBeNull();
});

it('UN-02: what is kept is private, and no tool reads it', async () => {
  const { run, settings, call, kept } = await open();
  await run('delete', { path: 'a.txt' });
  const folder = join(settings.folder, 'kept', kept()[0] ?? '');
  expect([statSync(folder).mode & 0o777, statSync(join(folder, '0')).mode & 0o777]).toEqual([0o700, 0o600]);
  for (const name of [join(folder, '0'), join('..', '..', folder, '0')])
    expect(await call('read_file', { filePath: name })).toHaveProperty('isError', true);
});

it('UN-03: of another shared folder nothing is undone', async () => {
  const { run, settings, undo, kept, path, root } = await open();
  const { requestId } = await run('delete', { path: 'a.txt' });
  const file = join(settings.folder, 'kept', kept()[0] ?? '', 'change.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(`"root":"${root}"`, '"root":"/elsewhere"'));
  expect(textOf(await undo(requestId))).toMatch(/^Nothing is kept/);
  expect(existsSync(path('a.txt'))).toBe(false);
});

it('what is old, too much, or a failed call is not kept', async () => {
  const clock = createFakeClock();
  const limits = { ms: 60_000, bytes: 600, changeBytes: 500, changeFiles: 3 };
  const { run, undo, kept, path } = await open({ clock, keeps: { limits } });
  await run('delete', { path: 'missing' });
  expect(kept()).toEqual([]);
  writeFileSync(path('large'), 'x'.repeat(501));
  const large = await run('delete', { path: 'large' });
  for (const name of ['1', '2', '3', '4']) writeFileSync(path(`d/${name}`), name);
  const many = await run('delete', { path: 'd' });
  expect(kept()).toEqual([]);
  for (const { requestId } of [large, many])
    expect(textOf(await undo(requestId))).toMatch(/^Nothing is kept/);
  const first = await run('delete', { path: 'a.txt' });
  clock.advance(60_001);
  clock.advance(10 * 60_000);
  writeFileSync(path('b.txt'), 'b');
  await run('delete', { path: 'b.txt' });
  expect(kept()).toHaveLength(1);
  expect(textOf(await undo(first.requestId))).toMatch(/^Nothing is kept/);
});
