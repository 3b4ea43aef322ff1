import fc from 'fast-check';
import { expect, it } from 'vitest';
import { splitMarkdown } from './split.ts';

const length = 60;
const piece = fc.constantFrom('```js\n', '```\n', '~~~\n', '\n\n', 'word ', '😀', 'x'.repeat(70), '- a\n');
/** A high surrogate without its low one, or the other way. */
const half = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

it('CH-21 each part fits, none breaks a character, and all that is written is in one of them', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('');
      const parts = splitMarkdown(text, length);
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(length);
        expect(part).not.toMatch(half);
      }
      // Without the characters of fences, which are added, and may be cut in two inside a line.
      const content = (all: string) => all.replaceAll(/[`~js\s]/g, '');
      expect(content(parts.join(''))).toBe(content(text));
    }),
  );
});

it('CH-21 a part that ends with the first line of a block of code has room to close it', () => {
  const parts = splitMarkdown(`${'x'.repeat(length - 5)}\n~~~\na`, length);
  expect(parts.map((part) => part.length <= length)).toEqual(parts.map(() => true));
});

it.each([
  ['of a name', `\`\`\`${'x'.repeat(500)}\n${'y'.repeat(5_000)}`],
  ['of marks', `${'`'.repeat(500)}\n${'y'.repeat(5_000)}`],
])('CH-21 a block of code with a long beginning %s has no part of its own for each letter', (_what, text) => {
  const parts = splitMarkdown(text, length);
  expect(Math.max(...parts.map((part) => part.length))).toBeLessThanOrEqual(length);
  expect(parts.length).toBeLessThan(200);
});
