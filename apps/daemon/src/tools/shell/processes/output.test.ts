import { describe, expect, it } from 'vitest';
import { createOutputBuffer, plainOutput } from './output.ts';

describe('the kept output', () => {
  it('SH-91 has a bound, whatever the pieces, and its positions stay', () => {
    const buffer = createOutputBuffer(1_000);
    for (let at = 0; at < 500; at += 1) buffer.add('stdout', Buffer.from(`${String(at).padStart(9, '0')}\n`));
    expect(buffer.end()).toBe(5_000);
    expect(buffer.end() - buffer.keptFrom()).toBeLessThanOrEqual(1_250);
    expect(buffer.end() - buffer.keptFrom()).toBeGreaterThanOrEqual(1_000);
    expect(buffer.read(4_990)).toEqual({ from: 4_990, text: '000000499\n', cursor: 5_000 });
    expect(buffer.read(0, 5)).toMatchObject({ from: buffer.keptFrom(), cursor: buffer.keptFrom() + 5 });
    expect(buffer.read(9_999)).toEqual({ from: 5_000, text: '', cursor: 5_000 });
  });

  it('has whole characters, also where they come in pieces, are cut off or divided by a reader', () => {
    const buffer = createOutputBuffer(8);
    const bytes = Buffer.from('a😀b');
    for (const byte of bytes) buffer.add('stdout', Buffer.from([byte]));
    expect(buffer.read(0).text).toBe('a😀b');
    expect(buffer.read(0, 2)).toEqual({ from: 0, text: 'a', cursor: 1 });
    expect(buffer.read(1, 1)).toEqual({ from: 1, text: '\ud83d', cursor: 2 });
    for (let at = 0; at < 9; at += 1) buffer.add('stderr', Buffer.from('😀'));
    expect(buffer.read(0).text).toMatch(/^(😀)+$/u);
  });
});

it.each([
  ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
  ['a line that is written over', '10%\r50%\r100%\r\nnext', '100%\nnext'],
  ['the clipboard and the title', 'a\u001b]52;c;aGk=\u0007b\u001b]0;x\u001b\\c', 'abc'],
  ['control characters in one byte', 'a\u009b31mb\u0007\u0000c\u0085', 'abc'],
  ['tabs and lines', 'a\tb\n\nc', 'a\tb\n\nc'],
])('SH-91 %s is plain for a reader', (_name, raw, plain) => {
  expect(plainOutput(raw)).toBe(plain);
});
