import { describe, expect, it } from 'vitest';
import { requireArguments } from './check-arguments.ts';

type Schema = Record<string, unknown>;
const text = { type: 'string' };
const tool = (inputSchema: Schema) => ({ name: 'tool', inputSchema });
const read = {
  type: 'object',
  properties: { path: text, depth: { type: 'integer', maximum: 9 } },
  required: ['path'],
};
const closed = { ...read, additionalProperties: false };

/** What is said of arguments; null where they pass. */
const said = (schema: Schema, args: Record<string, unknown>): string | null => {
  try {
    requireArguments(tool(schema), args);
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? `${String(error.code)} ${error.message}` : 'no code';
  }
};
const refused = (words: string) => expect.stringMatching(new RegExp(`^INVALID_ARGUMENTS .*${words}`));

describe('NJ-01: arguments and the announced schema', () => {
  it.each<[string, Schema, Record<string, unknown>, unknown]>([
    ['that fit', closed, { path: 'a', depth: 3 }, null],
    ['of a wrong type', read, { path: 7 }, refused('path: ')],
    ['that lack a field', read, { depth: 1 }, refused('path')],
    ['beyond a number', read, { path: 'a', depth: 10 }, refused('depth: ')],
    ['with a field too many', closed, { path: 'a', pad: 'x' }, refused('pad: no such argument')],
    ['with a wrong name', closed, { file: 'a' }, refused('file: no such argument; path: is missing')],
    ['with one more, where the schema lets it', read, { path: 'a', pad: 'x' }, null],
    [
      'deep inside',
      { properties: { edits: { type: 'array', items: read } } },
      { edits: [{ path: 'a' }, { path: 1 }] },
      refused('edits/1/path: '),
    ],
    [
      'of another dialect',
      { ...closed, $schema: 'http://json-schema.org/draft-07/schema#' },
      { pad: 1 },
      refused(''),
    ],
    [
      'by a reference',
      { properties: { a: { $ref: '#/$defs/t' } }, $defs: { t: text } },
      { a: 1 },
      refused('a: '),
    ],
    [
      'of a field that is named as a keyword',
      { properties: { pattern: text, format: text }, required: ['pattern'] },
      { pattern: 1 },
      refused('pattern: '),
    ],
    ['where every schema fits', {}, { anything: 1 }, null],
  ])('%s', (_, schema, args, expected) => {
    expect(said(schema, args)).toEqual(expected);
  });

  const chain = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]),
  );
  it.each<[string, Schema, Record<string, unknown>]>([
    ['a pattern that blows up', { properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(50)}!` }],
    [
      'names with such a pattern',
      { patternProperties: { '^(a+)+$': text }, additionalProperties: false },
      { [`${'a'.repeat(50)}!`]: 1 },
    ],
    ['a format', { properties: { a: { format: 'regex' } } }, { a: '('.repeat(10_000) }],
    [
      'values that must differ',
      { properties: { a: { uniqueItems: true } } },
      { a: Array.from({ length: 50_000 }, () => ({ x: 1 })) },
    ],
    [
      'references that double 40 times',
      { properties: { a: { $ref: '#/$defs/d0' } }, $defs: { ...chain, d40: text } },
      { a: 1 },
    ],
    ['a reference to itself', { $ref: '#' }, { a: 1 }],
    [
      'a circle of references',
      {
        properties: { a: { $ref: '#/$defs/a' } },
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      },
      { a: 1 },
    ],
    ['a reference to another site', { properties: { a: { $ref: 'https://example.org/schema' } } }, { a: 1 }],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }, { a: 1 }],
    ['a dynamic reference', { $dynamicRef: '#x', $dynamicAnchor: 'x' }, { a: 1 }],
    ['an unknown dialect', { ...closed, $schema: 'https://example.org/dialect' }, { pad: 1 }],
    ['a keyword of a wrong type', { type: 7, properties: 'x', required: { a: 1 }, enum: 3 }, { a: 1 }],
    [
      'a schema of 1,000 parts and an array of 100,000 values',
      { properties: { a: { items: { anyOf: Array.from({ length: 900 }, () => text) } } } },
      { a: Array(100_000).fill(1) },
    ],
  ])(
    '%s stands in no way of a call, and does not hold up the server',
    (_, schema, args) => {
      expect(said(schema, args)).toBeNull();
      // Each would take minutes, or never end.
    },
    5_000,
  );
});
