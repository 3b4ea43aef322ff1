import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isProtected, protectedIn } from './protected.ts';

const territory = { root: '/home/me/work', privateFolder: '/home/me/Work/own dir' };

const names = fc.constantFrom(
  ...[
    'a.txt',
    'own dir',
    'OWN DIR',
    'own dir.',
    'own',
    'hooks',
    'config',
    'fish',
    'a b ',
    '.git',
    '.GIT',
    '.a',
  ],
  ...['.vscode', '.Vscode.', '.bashrc', '．git', '.ho\u200boks', 'ho\u200boks', 'own\u00a0dir', 'modules'],
);
const folders = fc.array(names, { maxLength: 3 }).map((below) => join(territory.root, ...below));

it('the entries of one folder are protected as each of them is alone', () => {
  fc.assert(
    fc.property(folders, fc.oneof(names, fc.stringMatching(/^[^/\0]{1,8}$/)), (folder, name) => {
      expect(protectedIn(territory, folder)(name)).toBe(isProtected(territory, join(folder, name), 'read'));
    }),
    { numRuns: 2_000 },
  );
});

it.each([
  ['own dir', true],
  ['OWN DIR', true],
  ['own dirs', false],
  ['.vscode', true],
  ['vscode', false],
])("%j beside the daemon's own folder: %s", (name, expected) => {
  expect(protectedIn(territory, '/home/me/work')(name)).toBe(expected);
});
