import { expect, it } from 'vitest';
import { fileNameOf } from './file-name.ts';

it.each([
  ['out/page.html', 'page.html'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['../', 'file'],
  [' in\u202evoice\0.pdf\n', 'invoice.pdf'],
  ['a'.repeat(200), 'a'.repeat(128)],
])('of %j is %j', (path, name) => {
  expect(fileNameOf(path)).toBe(name);
});
