import { describe, expect, it } from 'vitest';
import { shown, visibleLines } from './show.ts';

describe('what a person reads', () => {
  it.each([
    ['\u001b[2Jx', '\\x1b[2Jx'],
    ['a\r\nb\tc', 'a\\r\\nb\\tc'],
    ['\u202etxt.exe', '\\u{202e}txt.exe'],
    ['a\u200bb\u2060\ufeff', 'a\\u{200b}b\\u{2060}\\u{feff}'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['\u009bx\u0007', '\\x9bx\\x07'],
    ['\u3164\u2800', '\\u{3164}\\u{2800}'],
    ['p\u0430ypal.com', 'p\u0430ypal.com (careful: mixes Latin and Cyrillic letters in one word)'],
    ['\uff0fetc', '\uff0fetc (careful: has look-alikes of plain characters)'],
    ['xn--80ak6aa92e.com', 'xn--80ak6aa92e.com (careful: has an encoded host name)'],
    ['größe 東京 Привет', 'größe 東京 Привет'],
  ])('CF-18 and CF-19 %j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it('a text of several lines keeps them', () => {
    expect(visibleLines('a\n\tb\r\u0000')).toBe('a\n\tb\\r\\x00');
  });
});
