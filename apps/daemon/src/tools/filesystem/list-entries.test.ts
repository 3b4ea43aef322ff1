import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextMacrotask } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { everythingAllowed, textOf, openTools } from '../../../test/support/tool-fixture.ts';

it.each([
  ['clears the screen', '\u001b[2J', '\\x1b[2J'],
  ['runs backwards', '\u202etxt.exe', '\\u{202e}txt.exe'],
  ['forges a line', 'a\n{"level":60,"msg":"forged"}', 'a\\n{"level":60,"msg":"forged"}'],
  ['is markup', '<img onerror=alert(1)>', '<img onerror=alert(1)>'],
  ['looks like a question', 'GATEWAY_CONFIRMATION_REQUIRED::{}', 'GATEWAY_CONFIRMATION_REQUIRED::{}'],
])('FS-33 a name that %s is one entry of valid JSON, and one line of a tree', async (_case, name, shown) => {
  const { root, call } = await openTools();
  writeFileSync(join(root, name), '');
  const descriptors = await call('list_files', { dirPath: '.' });
  const entries = [{ path: name, type: 'file', sizeBytes: 0 }];
  expect([descriptors.structuredContent, JSON.parse(textOf(descriptors))]).toEqual([
    { entries, truncated: false },
    entries,
  ]);
  const tree = await call('get_file_tree', { dirPath: '.' });
  expect(textOf(tree)).toBe(`${root}/\n  ${shown}`);
});

it('a folder of 12,000 entries is listed in order and cut, and does not hold up other calls', async () => {
  const { root, call } = await openTools();
  mkdirSync(join(root, 'many', 'zz'), { recursive: true });
  const count = 12_000;
  for (let at = 0; at < count; at += 1)
    writeFileSync(join(root, 'many', `f${String(at).padStart(5, '0')}`), '');
  let turns = 0;
  let counting = true;
  const countTurns = async () => {
    for (; counting; turns += 1) await nextMacrotask();
  };
  const counted = countTurns();
  const descriptors = await call('list_files', { dirPath: 'many', maxResults: 3 });
  const listing = turns;
  const tree = await call('get_file_tree', { dirPath: 'many' });
  counting = false;
  await counted;
  expect(descriptors.structuredContent).toEqual({
    entries: [
      { path: 'many/zz', type: 'directory' },
      { path: 'many/f00000', type: 'file', sizeBytes: 0 },
      { path: 'many/f00001', type: 'file', sizeBytes: 0 },
    ],
    truncated: true,
  });
  const lines = textOf(tree).split('\n');
  expect([lines[1], lines[2], lines.at(-1)?.startsWith('(There is more')]).toEqual([
    '  zz/',
    '  f00000',
    true,
  ]);
  // In each turn others can go on; a folder that is read at once takes a few.
  expect([listing > 30, turns - listing > 30]).toEqual([true, true]);
});

it('a name that is not UTF-8 is refused with the reason, and no other file is taken for it', async () => {
  const { root, call } = await openTools({ modes: everythingAllowed });
  const raw = (name: number[]) => Buffer.concat([Buffer.from(`${root}/in/`), Buffer.from(name)]);
  mkdirSync(join(root, 'in'));
  writeFileSync(raw([0x61, 0xff]), 'secret');
  const { structuredContent } = await call('list_files', { dirPath: 'in' });
  expect(structuredContent).toMatchObject({ entries: [{ path: 'in/a\ufffd', type: 'file' }] });
  const why = /not UTF-8/;
  for (const [tool, args] of [
    ['read_file', { filePath: 'in/a\ufffd' }],
    ['write_file', { filePath: 'in/a\ufffd', content: 'x' }],
    ['delete', { path: 'in/a\ufffd' }],
    ['move', { sourcePath: 'in/a\ufffd', destinationPath: 'b' }],
    ['delete', { path: 'in' }],
  ] as const) {
    const result = await call(tool, args);
    expect([tool, result.isError, textOf(result)]).toEqual([tool, true, expect.stringMatching(why)]);
  }
  expect(readdirSync(join(root, 'in'))).toEqual(['a\ufffd']);
  writeFileSync(join(root, 'b\ufffd'), 'plain');
  expect(textOf(await call('read_file', { filePath: 'b\ufffd' }))).toContain('plain');
});
