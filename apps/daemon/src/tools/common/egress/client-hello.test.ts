import { expect, it } from 'vitest';
import { helloFor, inTwoRecords } from '../../../../test/support/client-hello.ts';
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
