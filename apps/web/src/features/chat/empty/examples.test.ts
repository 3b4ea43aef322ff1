import { expect, it } from 'vitest';
import { examplesFor } from './examples.ts';

const on = (name: string, writeAccess = false) => ({ name, enabled: true, writeAccess });

it.each([
  ['no machine', [], ['can you do', 'Make a plan', 'Explain']],
  ['read only', [on('filesystem')], ['List', 'Search', 'Compare']],
  ['files', [on('filesystem', true)], ['List', 'write a summary', 'Search']],
  ['shell only', [on('shell')], ['Run the tests', 'processes', 'disk space']],
  [
    'all',
    ['shell', 'computer'].map((name) => on(name)).concat(on('filesystem', true)),
    ['List', 'Run', 'Read'],
  ],
  ['switched off', [{ name: 'shell', enabled: false }], ['can you do', 'Make a plan', 'Explain']],
  ['screen only', [on('computer')], ['screenshot', 'can you do', 'Make a plan']],
])('gives three examples that the machine can do: %s', (_, categories, words) => {
  const texts = examplesFor(categories).map(({ text }) => text);
  expect(texts).toEqual(words.map((word) => expect.stringContaining(word)));
});
