import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, openTools, textOf } from '../../../test/support/tool-fixture.ts';
import type { Modes } from '../../permission/index.ts';
import { replaceFirst } from './edit-file.ts';

describe('edit_file', () => {
  it('FS-28 gives what was before, the new text, and what was after (property)', () => {
    const text = fc.string({
      unit: fc.constantFrom('$', '&', '1', '`', "'", '\r', '\n', '\ufeff', 'a', 'b', '😀', '\\'),
    });
    fc.assert(
      fc.property(text, fc.string({ minLength: 1 }), text, text, (before, old, after, next) => {
        const whole = before + old + after;
        const at = whole.indexOf(old);
        expect(replaceFirst(whole, old, next)).toBe(whole.slice(0, at) + next + whole.slice(at + old.length));
      }),
    );
  });

  it.each([
    ['a dollar sign', 'cost: X', 'X', '$& $1 $$ $`', 'cost: $& $1 $$ $`'],
    ['a line break of Windows', 'a\r\nb\r\n', '\r\nb', '\r\nc', 'a\r\nc\r\n'],
    ['a byte order mark', '\ufeffa', 'a', 'b', '\ufeffb'],
    ['the first of several', 'aaa', 'aa', 'b', 'ba'],
    ['the whole', '😀', '😀', '', ''],
  ])('FS-28 replaces %s', async (_case, before, oldString, newString, after) => {
    const { root, call } = await openTools({ modes: everythingAllowed });
    writeFileSync(join(root, 'a'), before);
    await call('edit_file', { filePath: 'a', oldString, newString });
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe(after);
  });

  it('FS-29 edits of one file come one after the other, and leave nothing behind', async () => {
    const { root, call } = await openTools({ modes: everythingAllowed });
    const marks = Array.from({ length: 40 }, (_, at) => `<${at}>`);
    writeFileSync(join(root, 'a'), marks.join(''));
    await Promise.all(
      marks.map((mark, at) => call('edit_file', { filePath: 'a', oldString: mark, newString: `[${at}]` })),
    );
    expect(readFileSync(join(root, 'a'), 'utf8')).toBe(marks.map((_, at) => `[${at}]`).join(''));
    expect(readdirSync(root)).toEqual(['a']);
  });
});

describe('edit_file that cannot be done', () => {
  const edit = { filePath: 'a', oldString: 'absent', newString: 'b' };
  const isQuestion = (text: string) => text.startsWith('GATEWAY_CONFIRMATION_REQUIRED::');

  it.each<[string, string | Buffer, object, string]>([
    ['a text that does not occur', 'present', {}, 'oldString does not occur in the file'],
    ['a text in other letter case', 'Absent', {}, 'oldString does not occur in the file'],
    ['an empty file', '', {}, 'oldString does not occur in the file'],
    ['no file', '', { filePath: 'missing' }, 'Nothing exists at this path'],
    ['a file that is no text', Buffer.from([0, 1, 2]), {}, 'This is a binary file'],
    ['a file that is too large', 'x'.repeat(600 * 1024), {}, 'The file is too large'],
    [
      'a result that is too large',
      `absent${'x'.repeat(500 * 1024)}`,
      { newString: 'y'.repeat(20_000) },
      'The file is too large',
    ],
  ])('FS-28 says so without a question: %s', async (_case, content, more, message) => {
    const { root, call, gate } = await openTools({
      modes: { filesystemRead: 'allow', filesystemWrite: 'ask' },
    });
    writeFileSync(join(root, 'a'), content);
    expect(textOf(await call('edit_file', { ...edit, ...more }))).toContain(message);
    expect(gate.openQuestions()).toBe(0);
  });

  it('FS-28 and after a yes, when the text went while the question was open', async () => {
    const { root, send } = await openTools({ modes: { filesystemRead: 'allow', filesystemWrite: 'ask' } });
    writeFileSync(join(root, 'a'), 'absent');
    const answer = (more = {}) =>
      send({ requestId: 'r1', toolCall: { name: 'edit_file', arguments: { ...edit, ...more } } });
    expect(isQuestion(textOf(await answer()))).toBe(true);
    writeFileSync(join(root, 'a'), 'gone');
    expect(textOf(await answer({ _confirmation: 'allowOnce' }))).toContain('does not occur');
  });

  it.each<[string, Partial<Modes>, string]>([
    ['reading asks', { filesystemRead: 'ask' }, 'a'],
    ['the file may hold keys', { filesystemRead: 'allow' }, '.env'],
    ['a link leads to a file that may hold keys', { filesystemRead: 'allow' }, 'link'],
  ])('FS-28 the answer says nothing of a file where %s', async (_case, modes, filePath) => {
    const { root, call } = await openTools({ modes: { ...modes, filesystemWrite: 'ask' } });
    for (const name of ['a', '.env']) writeFileSync(join(root, name), 'KEY=present');
    symlinkSync('.env', join(root, 'link'));
    for (const oldString of ['KEY=present', 'KEY=absent'])
      expect(isQuestion(textOf(await call('edit_file', { ...edit, filePath, oldString })))).toBe(true);
  });

  it('FS-28 nor where a rule forbids to read or to write it', async () => {
    for (const toolGroup of ['filesystemRead', 'filesystemWrite'] as const) {
      const { root, call, settings } = await openTools({
        modes: { filesystemRead: 'allow', filesystemWrite: 'ask' },
      });
      writeFileSync(join(root, 'a'), 'present');
      await settings.addRules('deny', [{ toolGroup, resource: join(root, 'a') }]);
      const [is, isNot] = [
        await call('edit_file', { ...edit, oldString: 'present' }),
        await call('edit_file', edit),
      ];
      expect([textOf(is), textOf(isNot).includes('Access denied')]).toEqual([textOf(isNot), true]);
    }
  });
});
