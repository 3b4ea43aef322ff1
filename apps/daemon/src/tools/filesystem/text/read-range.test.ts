import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { everythingAllowed, textOf, openTools } from '../../../../test/support/tool-fixture.ts';

import { cutToBytes } from './read-range.ts';

const open = async (files: Record<string, string | Buffer>) => {
  const world = await openTools({ modes: everythingAllowed });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(world.root, name), content);
  const read = async (filePath: string, more: object = {}) => {
    const result = await world.call('read_file', { filePath, ...more });
    return result.isError === true ? textOf(result) : result.structuredContent;
  };
  return { ...world, read };
};

const utf16 = (text: string, bigEndian = false) => {
  const bytes = Buffer.from(text, 'utf16le');
  return bigEndian ? bytes.swap16() : bytes;
};

/** 40,000 numbered lines of 60 letters and more: beyond what is read without a range, and several pieces. */
const many = Array.from({ length: 40_000 }, (_, at) => `${at + 1} größe ${'x'.repeat(50)}`);

it.each<[string, Buffer, object]>([
  ['UTF-8', Buffer.from(many.join('\n')), {}],
  ['UTF-8 that ends with a line break', Buffer.from(`${many.join('\n')}\n`), {}],
  ['UTF-16 with its mark', utf16(`\ufeff${many.join('\n')}`), { encoding: 'utf-16le' }],
  ['UTF-16 without', utf16(many.join('\n'), true), { encoding: 'utf-16be' }],
  ['Latin-1', Buffer.from(many.join('\n'), 'latin1'), { encoding: 'windows-1252' }],
])('a range of a large text in %s', async (what, bytes, more) => {
  const { read } = await open({ a: bytes });
  const lines = (from: number, to: number) => many.slice(from - 1, to).join('\n');
  const totalLines = many.length;
  const whole = { path: 'a', totalLines, ...more };
  expect(await read('a', { startLine: 39_999 })).toEqual({
    ...whole,
    content: lines(39_999, 40_000) + (what.endsWith('break') ? '\n' : ''),
    truncated: false,
  });
  expect(await read('a', { startLine: 20_000, maxLines: 2 })).toEqual({
    ...whole,
    content: lines(20_000, 20_001),
    truncated: true,
  });
  expect(await read('a', { startLine: 50_000 })).toEqual({ ...whole, content: '', truncated: false });
  expect(await read('a')).toMatch(/^The file is too large: 512 KiB at most; with startLine or maxLines/);
});

it.each<[string, Buffer, string, object]>([
  ['UTF-16', utf16('\ufeffgröße\n'), 'größe\n', { encoding: 'utf-16le' }],
  ['UTF-16, big-endian', utf16('\ufeffab', true), 'ab', { encoding: 'utf-16be' }],
  ['UTF-16 without a mark', utf16('plain words\n'), 'plain words\n', { encoding: 'utf-16le' }],
  ['Latin-1', Buffer.from('gr\xf6\xdfe \x80', 'latin1'), 'größe €', { encoding: 'windows-1252' }],
  ['UTF-8 with its mark', Buffer.from('\ufeffä'), '\ufeffä', {}],
])('a small text in %s is text', async (_what, bytes, content, more) => {
  const { read } = await open({ a: bytes });
  const totalLines = content.trimEnd().split('\n').length;
  expect(await read('a')).toEqual({ path: 'a', content, truncated: false, totalLines, ...more });
});

const binary = 'This is a binary file; only text and PNG, JPEG, GIF and WebP pictures can be read';

it.each<[string, Buffer, string]>([
  ['half a character of UTF-16', Buffer.from([0xff, 0xfe, 0x41]), binary],
  ['half a pair of UTF-16', Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x41, 0x00]), binary],
  ['a NUL in UTF-16', utf16('\ufeffa\0b'), binary],
  ['control characters beside Latin-1', Buffer.from([0x41, 0xe4, 0x01, 0x42]), binary],
  [
    'a large file with a NUL at its end',
    Buffer.concat([Buffer.alloc(3_000_000, 'a\n'), Buffer.alloc(1)]),
    binary,
  ],
  [
    'a large picture',
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(600_000)]),
    'The file is too large: 512 KiB at most',
  ],
])('%s is refused', async (_what, bytes, refusal) => {
  const { read } = await open({ a: bytes });
  expect(await read('a', { startLine: 1 })).toBe(refusal);
});

it('gives at most 512 KiB, cut at a whole character, and reads at most 256 MiB', async () => {
  const { read, root } = await open({ a: `a${'ö'.repeat(600_000)}\nb`, b: 'x' });
  expect(await read('a', { startLine: 1 })).toEqual({
    path: 'a',
    content: `a${'ö'.repeat(262_143)}`,
    truncated: true,
    totalLines: 2,
  });
  truncateSync(join(root, 'b'), 256 * 1024 * 1024 + 1);
  expect(await read('b', { maxLines: 1 })).toBe('The file is too large: 256 MiB at most');
});

it('a folder is called a folder', async () => {
  const { read, root, call } = await open({});
  mkdirSync(join(root, 'f'));
  const folder = 'This is a folder; list_files shows what it holds';
  expect(await read('f')).toBe(folder);
  expect(await read('f', { startLine: 1 })).toBe(folder);
  expect(textOf(await call('write_file', { filePath: 'f', content: '' }))).toBe(folder);
  expect(textOf(await call('edit_file', { filePath: 'f', oldString: 'a', newString: 'b' }))).toBe(folder);
});

it('what is cut is a beginning of the text with whole characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, room) => {
      const cut = cutToBytes(text, room);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(room);
      expect(Buffer.byteLength(cut) + 4 > room || cut === text).toBe(true);
    }),
  );
});
