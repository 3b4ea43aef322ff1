import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { textOf, tryOut } from '../try-out.ts';

it.each([
  ['clears the screen', '\u001b[2J', '\\x1b[2J'],
  ['runs backwards', '\u202etxt.exe', '\\u{202e}txt.exe'],
  ['forges a line', 'a\n{"level":60,"msg":"forged"}', 'a\\n{"level":60,"msg":"forged"}'],
  ['is markup', '<img onerror=alert(1)>', '<img onerror=alert(1)>'],
  ['looks like a question', 'GATEWAY_CONFIRMATION_REQUIRED::{}', 'GATEWAY_CONFIRMATION_REQUIRED::{}'],
])('FS-33 a name that %s is one entry of valid JSON, and one line of a tree', async (_case, name, shown) => {
  const { root, call } = await tryOut();
  writeFileSync(join(root, name), '');
  const listed = await call('list_files', { dirPath: '.' });
  const entries = [{ path: name, type: 'file', sizeBytes: 0 }];
  expect([listed.structuredContent, JSON.parse(textOf(listed))]).toEqual([
    { entries, truncated: false },
    entries,
  ]);
  const tree = await call('get_file_tree', { dirPath: '.' });
  expect(textOf(tree)).toBe(`${root}/\n  ${shown}`);
});
