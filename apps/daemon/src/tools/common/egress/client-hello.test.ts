import { expect, it } from 'vitest';
import { helloFor, helloOf, inTwoRecords } from '../../../../test/support/client-hello.ts';
import { judgeHello } from './client-hello.ts';

it('SH-54 decides about a hello in pieces only when it is whole, and reads two records', async () => {
  const hello = await helloFor('good.test');
  const early = Array.from(hello, (_byte, at) => judgeHello(hello.subarray(0, at), 'good.test'));
  expect(new Set(early)).toEqual(new Set(['more']));
  const cuts = Array.from({ length: (hello.length - 6) / 7 }, (_, at) => inTwoRecords(hello, at * 7 + 1));
  expect(new Set(cuts.map((bytes) => judgeHello(bytes, 'good.test')))).toEqual(new Set(['right']));
  expect(judgeHello(await helloFor('GOOD.test'), 'good.test')).toBe('right');
  expect(judgeHello(await helloFor(), '93.184.216.34')).toBe('right');
});

it('SH-54 changed bytes never throw, and two names are refused', async () => {
  const hello = await helloFor('good.test');
  const verdicts = new Set<string>();
  for (let round = 0; round < 2_000; round += 1) {
    const changed = Buffer.from(hello);
    changed[(round * 7_919) % hello.length] = (round * 31) & 255;
    verdicts.add(judgeHello(changed, 'good.test'));
  }
  expect([...verdicts].toSorted()).toEqual(['more', 'right', 'wrong']);
  const name = Buffer.from('good.test');
  const at = hello.indexOf(name) - 9;
  const extension = hello.subarray(at, at + 9 + name.length);
  const twice = Buffer.concat([hello.subarray(0, at), extension, hello.subarray(at)]);
  // The lengths of the extensions, of the message and of the record.
  const lengthAt = 5 + 4 + 2 + 32 + 1 + (hello[43] ?? 0) + 2;
  const ciphers = hello.readUInt16BE(lengthAt - 2);
  const extensionsAt = lengthAt + ciphers + 1 + (hello[lengthAt + ciphers] ?? 0);
  twice.writeUInt16BE(hello.readUInt16BE(extensionsAt) + extension.length, extensionsAt);
  twice.writeUIntBE(hello.readUIntBE(6, 3) + extension.length, 6, 3);
  twice.writeUInt16BE(hello.readUInt16BE(3) + extension.length, 3);
  expect(judgeHello(twice, 'good.test')).toBe('wrong');
});

/** The start of a message of this many bytes, in one record of this size. */
const startOf = (messageBytes: number, recordBytes: number): Buffer => {
  const bytes = Buffer.from([0x16, 3, 1, 0, 0, 1, 0, 0, 0]);
  bytes.writeUInt16BE(recordBytes, 3);
  bytes.writeUIntBE(messageBytes - 4, 6, 3);
  return bytes;
};

it.each<[string, Buffer, string]>([
  ['just the host', helloOf(), 'right'],
  ['another version of the record', helloOf({ version: 2 }), 'wrong'],
  ['another message', helloOf({ type: 2 }), 'wrong'],
  ['two names', helloOf({ names: ['good.test', 'good.test'] }), 'wrong'],
  ['no name', helloOf({ names: [] }), 'wrong'],
  ['a name of another kind', helloOf({ kind: 1 }), 'wrong'],
  ['more after the names', helloOf({ afterNames: 'x' }), 'wrong'],
  ['more after the extensions', helloOf({ afterExtensions: 'x' }), 'wrong'],
  ['an empty record', Buffer.from([0x16, 3, 1, 0, 0]), 'wrong'],
  ['a long record', startOf(100, 16_385), 'wrong'],
  ['the longest record', startOf(100, 16_384), 'more'],
  ['a message of more than 64 KiB', startOf(64 * 1024 + 1, 16_384), 'wrong'],
  ['a message of 64 KiB', startOf(64 * 1024, 16_384), 'more'],
])('SH-54 a hello with %s', (_case, bytes, verdict) => {
  expect(judgeHello(bytes, 'good.test')).toBe(verdict);
});

it('SH-54 a hello for an address has no name', () => {
  expect(judgeHello(helloOf(), '93.184.216.34')).toBe('wrong');
});
