import { CodedError } from '@drawbridge/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readJson } from './json-body.ts';

const outcome = (body: string | Uint8Array) => {
  try {
    return readJson(typeof body === 'string' ? Buffer.from(body) : body).value;
  } catch (error) {
    return error instanceof CodedError ? error.code : error;
  }
};

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('a JSON body', () => {
  it.each([
    ['64 levels', nested(64), JSON.parse(nested(64))],
    ['65 levels', nested(65), 'TOO_DEEP'],
    ['100,000 levels', nested(100_000), 'TOO_DEEP'],
    ['100,000 levels of objects', '{"a":'.repeat(100_000), 'TOO_DEEP'],
    ['brackets in a text', JSON.stringify('['.repeat(1_000)), '['.repeat(1_000)],
    ['brackets behind an escaped quote', JSON.stringify(`"${'{'.repeat(1_000)}`), `"${'{'.repeat(1_000)}`],
    ['brackets behind many backslashes', `["${'\\\\'.repeat(100)}"${nested(64)}]`, 'TOO_DEEP'],
    [
      'brackets in a long text',
      JSON.stringify(`${'\\'.repeat(99)}"${'['.repeat(99)}`),
      `${'\\'.repeat(99)}"${'['.repeat(99)}`,
    ],
    ['levels behind a long text', `["${'a'.repeat(999)}",${nested(64)}]`, 'TOO_DEEP'],
    ['__proto__ as a key', '{"__proto__":{"a":1}}', 'BAD_REQUEST'],
    ['__proto__ as an escaped key', '{"\\u005f_proto__":{"a":1}}', 'BAD_REQUEST'],
    ['__proto__ deep inside', '{"a":[{"b":{"__proto__":null}}]}', 'BAD_REQUEST'],
    ['constructor.prototype', '{"constructor":{"prototype":{"a":1}}}', 'BAD_REQUEST'],
    ['__proto__ in a text', '{"a":"__proto__"}', { a: '__proto__' }],
    ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'BAD_REQUEST'],
    ['no JSON', 'NaN', 'BAD_REQUEST'],
    ['half of one', '{"a":', 'BAD_REQUEST'],
    ['nothing', '', 'BAD_REQUEST'],
  ])('with %s', (_, body, expected) => {
    expect(outcome(body)).toEqual(expected);
  });

  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        fc.pre(!text.includes('__proto__') && !text.includes('constructor'));
        expect(outcome(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('touches no prototype', () => {
    outcome('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    expect('polluted' in {}).toBe(false);
  });
});
