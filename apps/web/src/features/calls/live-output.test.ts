import { expect, it } from 'vitest';
import { appended, maxShownLength, noOutput, placed, type LiveOutput } from './live-output.ts';

const textOf = ({ parts }: LiveOutput) => parts.map(({ text }) => text).join('');
const line = (at: number) => `${String(at).padStart(99, '.')}\n`;

it.each([
  ['nothing', [], noOutput],
  ['an empty text', [''], noOutput],
  ['two texts', ['one\n', 'two\n'], { parts: [{ id: 0, text: 'one\ntwo\n' }], length: 8, cutLength: 0 }],
])('%s', (_name, texts: string[], expected) => {
  expect(texts.reduce(appended, noOutput)).toEqual(expected);
});

it('begins a new part when one is full, and leaves the full one as it is', () => {
  const one = appended(noOutput, 'x'.repeat(8 * 1024));
  const two = appended(appended(one, 'y'), 'z');
  expect(two.parts.slice(1)).toEqual([{ id: 1, text: 'yz' }]);
  expect(two.parts[0]).toBe(one.parts[0]);
});

it('shows the last 256 KiB at most and counts what is gone', () => {
  let output = noOutput;
  for (let at = 0; at < 10_000; at += 1) output = appended(output, line(at));
  expect(textOf(output).endsWith(line(9_999))).toBe(true);
  expect(textOf(output).length).toBe(output.length);
  expect(output.length).toBeLessThanOrEqual(maxShownLength);
  expect(output.length).toBeGreaterThan(maxShownLength - 10_000);
  expect(output.length + output.cutLength).toBe(1_000_000);
});

it('cuts one text that alone is too long', () => {
  const output = appended(appended(noOutput, 'before'), `${'x'.repeat(maxShownLength)}end`);
  expect([output.length, output.cutLength, textOf(output).endsWith('xend')]).toEqual([
    maxShownLength,
    9,
    true,
  ]);
});

it.each([
  ['the first', noOutput, { offset: 0, text: 'one' }, ['one', 0]],
  ['the first, of which the beginning is gone', noOutput, { offset: 7, text: 'one' }, ['one', 7]],
  ['what follows', appended(noOutput, 'one'), { offset: 3, text: 'two' }, ['onetwo', 0]],
  ['a repeat', appended(noOutput, 'one'), { offset: 0, text: 'one' }, ['one', 0]],
  ['a piece of what is here', appended(noOutput, 'onetwo'), { offset: 1, text: 'ne' }, ['onetwo', 0]],
  ['a repeat with more', appended(noOutput, 'one'), { offset: 0, text: 'onetwo' }, ['onetwo', 0]],
  ['after a gap', appended(noOutput, 'one'), { offset: 9, text: 'nine' }, ['nine', 9]],
  [
    'what is cut already',
    { ...appended(noOutput, 'two'), cutLength: 3 },
    { offset: 0, text: 'one' },
    ['two', 3],
  ],
])('by its place: %s', (_name, before: LiveOutput, given, expected) => {
  const output = placed(before, given);
  expect([textOf(output), output.cutLength]).toEqual(expected);
});
