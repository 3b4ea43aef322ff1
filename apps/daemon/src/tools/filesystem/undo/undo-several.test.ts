import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textOf, type ToolsOptions } from '../../../../test/support/tool-fixture.ts';
import { asked, openUndo as open } from '../../../../test/support/undo-fixture.ts';

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
      path: '4 files',
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
