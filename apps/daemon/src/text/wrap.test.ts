import { expect, it } from 'vitest';
import { wrapGrowing, wrapHard, wrapText } from './wrap.ts';

const key = 'the key is in /home/ann/.drawbridge/session.json, which only you can read';

it.each([
  ['a short line', 'ok            ready', 'ok            ready'],
  [
    'a sentence below its first word',
    `ok            session   ${key}`,
    [
      'ok            session   the key is in /home/ann/.drawbridge/session.json, which',
      '                        only you can read',
    ].join('\n'),
  ],
  [
    'two columns that are far from each other as one sentence',
    `error  ${'a'.repeat(40)}  ${'b '.repeat(20)}c`,
    `error  ${'a'.repeat(40)}  ${'b '.repeat(15)}b\n       b b b b c`,
  ],
  ['a long path whole', `unit          /${'a'.repeat(90)}`, `unit          /${'a'.repeat(90)}`],
  [
    'a coloured word',
    `\u001b[32mok\u001b[39m            session   ${key}`,
    `\u001b[32mok\u001b[39m            session   the key is in /home/ann/.drawbridge/session.json, which\n${' '.repeat(24)}only you can read`,
  ],
  ['each line for itself', `next   ${key} ${key}\nshort`, `next   ${key}\n       ${key}\nshort`],
])('folds %s at 80 columns', (_name, text, shown) => expect(wrapText(text, 80)).toBe(shown));

it('leaves a line alone where there is hardly room', () =>
  expect(wrapText(`next   ${key}`, 40)).toBe(`next   ${key}`));

it.each([1, 2, 3, 7, 40])('text that comes in parts of %i characters is wrapped as in one piece', (size) => {
  const text = `You said: ${'word '.repeat(40)}end.\n\n  - an item\n      deep  code\n${'long'.repeat(30)} and more`;
  let [shown, rest]: [string[], string] = [[], ''];
  for (let at = 0; at < text.length; at += size) {
    const grown = wrapGrowing(rest + text.slice(at, at + size), 60);
    shown = [...shown, ...grown.rows];
    rest = grown.rest;
  }
  expect([...shown, rest].join('\n')).toBe(wrapText(text, 60));
});

it('breaks a line of a diff at the edge, with all its spaces', () =>
  expect(wrapHard('    + ', `  a  ${'b'.repeat(80)}`, 60)).toBe(
    `    +   a  ${'b'.repeat(49)}\n      ${'b'.repeat(31)}`,
  ));
