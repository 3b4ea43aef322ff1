import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportedFileBytes } from '@drawbridge/contracts/tool-result';
import { describe, expect, it } from 'vitest';
import { everythingAllowed, openTools, textOf } from '../../../test/support/tool-fixture.ts';

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

const withFiles = async (files: Record<string, string | Buffer>) => {
  const world = await openTools({ modes: everythingAllowed });
  for (const [path, content] of Object.entries(files)) writeFileSync(join(world.root, path), content);
  return world;
};

describe('export_file', () => {
  it('gives a file as it is, with the type of its bytes and not of its name', async () => {
    const { call, root } = await withFiles({
      'page.png': '<html>',
      'a.bin': Buffer.from([0, 1, 255]),
      b: png,
    });
    const given = async (filePath: string) => (await call('export_file', { filePath })).content;
    const resource = (name: string, mimeType: string, bytes: Buffer) => [
      {
        type: 'resource',
        resource: { uri: `file://${join(root, name)}`, mimeType, blob: bytes.toString('base64') },
      },
    ];
    expect([await given('page.png'), await given('a.bin'), await given('b')]).toEqual([
      resource('page.png', 'text/plain', Buffer.from('<html>')),
      resource('a.bin', 'application/octet-stream', Buffer.from([0, 1, 255])),
      resource('b', 'image/png', png),
    ]);
  });

  it.each([
    ['8 MiB', exportedFileBytes, undefined],
    ['a byte more', exportedFileBytes + 1, 'The file is too large: 8 MiB at most'],
  ])('gives or refuses %s', async (_case, bytes, refusal) => {
    const { call } = await withFiles({ a: Buffer.alloc(bytes) });
    const result = await call('export_file', { filePath: 'a' });
    expect(result.isError ? textOf(result) : undefined).toBe(refusal);
  });
});
