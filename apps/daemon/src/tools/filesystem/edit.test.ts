import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, openTools } from '../../testing/tool-fixture.ts';
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
