import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import {
  everythingAllowed,
  openTools,
  textOf,
  type ToolsOptions,
} from '../../../../test/support/tool-fixture.ts';

const open = async (options: ToolsOptions = {}) => {
  const world = await openTools({ modes: everythingAllowed, keeps: {}, ...options });
  const path = (name: string) => join(world.root, name);
  writeFileSync(path('a.txt'), 'first\n');
  mkdirSync(path('d/e'), { recursive: true });
  for (const name of ['d/b', 'd/e/c']) writeFileSync(path(name), name);
  let calls = 0;
  /** Runs a call and gives its id. */
  const run = async (
    tool: string,
    args: Record<string, unknown>,
    caller = { id: 'token:1', name: 'One' },
  ) => {
    const requestId = `call-${(calls += 1)}`;
    const result = await world.send({ requestId, toolCall: { name: tool, arguments: args }, caller });
    return { requestId, result };
  };
  const undo = async (change?: string, more = {}) =>
    (await run('undo_change', { ...(change && { change }), ...more })).result;
  const held = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : null);
  /** The same where it is asked about, and allowed. */
  const runAllowed = async (tool: string, args: Record<string, unknown>) => {
    const { requestId } = await run(tool, args);
    const toolCall = { name: tool, arguments: { ...args, _confirmation: 'allowOnce' } };
    const result = await world.send({ requestId, toolCall, caller: { id: 'token:1', name: 'One' } });
    return { requestId, result };
  };
  const kept = () => {
    const folder = join(world.settings.folder, 'kept');
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  return { ...world, path, run, runAllowed, undo, held, kept };
};

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

const asked = (result: ToolResult) => {
  const question = questionOf(result);
  return question && { title: question.title, preview: question.preview, resource: question.resource };
};

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

describe('the changes of several calls', () => {
  /** A run: two writes of one file, one of a new one, the deletion of a folder. */
  const runOfFour = async (options: ToolsOptions = {}) => {
    const world = await open(options);
    const call = options.modes === undefined ? world.run : world.runAllowed;
    const steps = [
      ['write_file', { filePath: 'a.txt', content: 'second\n' }],
      ['write_file', { filePath: 'a.txt', content: 'third\n' }],
      ['write_file', { filePath: 'n/new.txt', content: 'new' }],
      ['delete', { path: 'd' }],
    ] as const;
    const changes: string[] = [];
    for (const [tool, args] of steps) changes.push((await call(tool, { ...args })).requestId);
    const all = (more = {}) => world.run('undo_change', { changes, ...more });
    return { ...world, changes, all, now: () => ['a.txt', 'd/b', 'd/e/c', 'n/new.txt'].map(world.held) };
  };

  it('are undone together from the newest to the oldest, in whatever order they are named', async () => {
    const { run, undo, changes, now } = await runOfFour();
    const { result } = await run('undo_change', { changes: changes.toReversed().toSorted() });
    expect(result).not.toHaveProperty('isError');
    expect(now()).toEqual(['first\n', 'd/b', 'd/e/c', null]);
    await undo();
    expect(now()).toEqual(['third\n', null, null, 'new']);
  });

  it('are asked about once, with the diff back of each file', async () => {
    const { all, run } = await runOfFour({ modes: { filesystemRead: 'allow', filesystemWrite: 'ask' } });
    const { title, preview } = asked((await all()).result) ?? {};
    expect(title).toBe('Put back 4 files as they were before 4 calls?');
    expect(preview).toMatchObject({
      kind: 'diff',
      added: 3,
      removed: 2,
      hunks: [
        {
          file: 'a.txt',
          lines: [
            { kind: 'removed', text: 'third' },
            { kind: 'added', text: 'first' },
          ],
        },
        { file: 'd/b' },
        { file: 'd/e/c' },
        { file: 'n/new.txt', lines: [{ kind: 'removed', text: 'new', lastWithoutLineFeed: true }] },
      ],
    });
    const more = await run('undo_change', { changes: ['nothing', 'call-1', 'call-2'] });
    expect(asked(more.result)?.title).toBe(
      'Put back a.txt as it was before 2 calls? (nothing is kept of 1 other call)',
    );
  });

  it('UN-05: files that changed after the last call, or between two of them, are named and not touched', async () => {
    const { run, held, path } = await open();
    const changes: string[] = [];
    const write = async (filePath: string, content: string) =>
      changes.push((await run('write_file', { filePath, content })).requestId);
    await write('a.txt', 'second\n');
    writeFileSync(path('a.txt'), 'by hand\n');
    await write('a.txt', 'third\n');
    await write('b.txt', 'b');
    await write('c.txt', 'c');
    writeFileSync(path('b.txt'), 'by hand too');
    const refused = await run('undo_change', { changes });
    expect([refused.result.isError, textOf(refused.result)]).toEqual([
      true,
      'Changed again since that call: a.txt, b.txt',
    ]);
    expect(['a.txt', 'b.txt', 'c.txt'].map(held)).toEqual(['third\n', 'by hand too', 'c']);
    await run('undo_change', { changes, evenIfChanged: true });
    expect(['a.txt', 'b.txt', 'c.txt'].map(held)).toEqual(['first\n', null, null]);
  });

  it('where a file has become a folder, nothing is touched', async () => {
    const { all, path, now } = await runOfFour();
    writeFileSync(path('d'), 'a file');
    expect(textOf((await all({ evenIfChanged: true })).result)).toBe('A part of the path is not a folder');
    expect(now()).toEqual(['third\n', null, null, 'new']);
  });

  it('UN-05: a second yes is asked with the names of what has changed', async () => {
    const { all, path } = await runOfFour({ modes: { filesystemRead: 'allow', filesystemWrite: 'ask' } });
    writeFileSync(path('n/new.txt'), 'by hand');
    expect(textOf((await all()).result)).toBe('Changed again since that call: n/new.txt');
    expect(asked((await all({ evenIfChanged: true })).result)?.title).toBe(
      'Put back 4 files as they were before 4 calls, though changed again since: n/new.txt?',
    );
  });

  it('UN-06: the question shows no text of a file that may not be read without one', async () => {
    const { all } = await runOfFour({ modes: { filesystemRead: 'ask', filesystemWrite: 'ask' } });
    const { preview } = asked((await all()).result) ?? {};
    expect(JSON.stringify(preview)).toContain('a.txt  6 bytes');
    expect(JSON.stringify(preview)).not.toMatch(/first|third/);
  });

  it('UN-06: a name with a line feed does not look like a line', async () => {
    const { undo, runAllowed, path } = await open({
      modes: { filesystemRead: 'allow', filesystemWrite: 'ask' },
    });
    writeFileSync(path('d/x\n+ evil'), 'x');
    const { requestId } = await runAllowed('delete', { path: 'd' });
    const { preview } = asked(await undo(requestId)) ?? {};
    expect(preview).toMatchObject({ hunks: [{ file: 'd/b' }, { file: 'd/e/c' }, { file: 'd/x\\n+ evil' }] });
  });

  it('UN-07: more than a question can name, or than one call may name, are not undone at once', async () => {
    const { run, path } = await open();
    const changes: string[] = [];
    for (let at = 0; at < 51; at += 1) {
      writeFileSync(path(`f${at}`), 'x');
      const moved = { sourcePath: `f${at}`, destinationPath: `g${at}` };
      changes.push((await run('move', moved)).requestId);
    }
    const tooMany = async (ids: string[]) => textOf((await run('undo_change', { changes: ids })).result);
    expect(await tooMany(changes)).toMatch(/^One undo writes at most 100 files and folders/);
    expect(await tooMany(changes.slice(1))).toContain('undone');
    expect(await tooMany(Array.from({ length: 101 }, (_, at) => `${at}`))).toMatch(/changes/);
  });
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
