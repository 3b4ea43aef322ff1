import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitSchema } from './schema-limits.ts';

const text = { type: 'string' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });

const fitted = (schema: unknown) => {
  const read = fitSchema(schema);
  return 'schema' in read ? read.schema : read.why;
};

describe('a schema of an MCP tool', () => {
  it.each([
    ['stays as it is', object({ a: text }, { required: ['a'] }), object({ a: text }, { required: ['a'] })],
    ['is an object', {}, { type: 'object' }],
    ['loses what names it', { $schema: 'x', $id: 'https://a/', ...object({}) }, object({})],
    [
      'has optional properties in place of null',
      object(
        {
          a: { type: ['string', 'null'] },
          b: { anyOf: [text, { type: 'null' }], description: 'b' },
          c: { ...text, nullable: true },
          d: { enum: ['x', null] },
          e: { type: 'null' },
          f: text,
        },
        { required: ['a', 'b', 'c', 'd', 'e', 'f'] },
      ),
      object(
        { a: text, b: { ...text, description: 'b' }, c: text, d: { enum: ['x'] }, f: text },
        { required: ['f'] },
      ),
    ],
    [
      'has items in each array',
      object({ a: { type: 'array' }, b: { type: 'array', prefixItems: [text] }, c: { items: [text, {}] } }),
      object({
        a: { type: 'array', items: {} },
        b: { type: 'array', items: { anyOf: [text] } },
        c: { items: { anyOf: [text, {}] } },
      }),
    ],
    [
      'takes any object for a reference outside the document',
      object(
        { a: { $ref: 'https://evil.example/schema' }, b: { $ref: '#/$defs/b' } },
        { $defs: { b: text } },
      ),
      object({ a: { type: 'object' }, b: { $ref: '#/$defs/b' } }, { $defs: { b: text } }),
    ],
    [
      'has no alternatives at its top: all their properties, and what each of them requires',
      {
        oneOf: [
          object({ kind: { const: 'a' }, x: text }, { required: ['kind', 'x'] }),
          object({ kind: { const: 'b' } }, { required: ['kind'] }),
        ],
      },
      object({ kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: text }, { required: ['kind'] }),
    ],
    [
      'has all parts of an allOf at its top, also over references',
      {
        allOf: [{ $ref: '#/$defs/a' }, object({ y: text }, { required: ['y'] })],
        $defs: { a: object({ x: text }, { required: ['x'] }) },
      },
      object(
        { x: text, y: text },
        { required: ['x', 'y'], $defs: { a: object({ x: text }, { required: ['x'] }) } },
      ),
    ],
    [
      'has no union of objects inside either, also over references',
      object(
        {
          list: { type: 'array', items: { oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] } },
          one: {
            description: 'one',
            discriminator: { propertyName: 'kind' },
            anyOf: [
              object({ kind: { const: 'a' } }, { required: ['kind'] }),
              object({ kind: { const: 'b' } }),
            ],
          },
          other: { anyOf: [text, object({})] },
        },
        {
          $defs: {
            a: object({ x: { $ref: '#/$defs/u' } }),
            b: object({ x: text }),
            u: { oneOf: [object({ y: text })] },
          },
        },
      ),
      object(
        {
          list: {
            type: 'array',
            items: object({ x: { anyOf: [{ $ref: '#/$defs/u' }, text] } }, { required: [] }),
          },
          one: object(
            { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] } },
            { description: 'one', required: [] },
          ),
          other: { anyOf: [text, object({})] },
        },
        {
          $defs: {
            a: object({ x: { $ref: '#/$defs/u' } }),
            b: object({ x: text }),
            u: object({ y: text }, { required: [] }),
          },
        },
      ),
    ],
    ['ends where a reference at its top leads to itself', { $ref: '#' }, object({}, { required: [] })],
  ])('%s', (_what, given, expected) => {
    expect(fitted(given)).toEqual(expected);
  });

  const nested = (depth: number): object => {
    let schema: object = text;
    for (let at = 0; at < depth; at += 1) schema = { not: schema };
    return schema;
  };
  const many = (count: number, one: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, one]));

  it.each([
    ['is not an object', [], 'is not an object'],
    ['is 33 levels deep', nested(32), 'more than 32 levels'],
    ['is 100,000 levels deep', nested(100_000), 'more than 32 levels'],
    ['has 1,001 nodes', { enum: Array.from({ length: 1_000 }, () => []) }, 'more than 1000 nodes'],
    ['has 251 properties', object(many(251, text)), 'more than 250 properties'],
    [
      'has 101 members',
      object({ a: { anyOf: Array.from({ length: 101 }, () => text) } }),
      'members of unions',
    ],
    ['has a name that providers refuse', object({ 'a b': text }), 'with the name "a b"'],
  ])('is refused when it %s', (_what, given, why) => {
    expect(fitted(given)).toContain(why);
  });

  it.each([
    ['32 levels', nested(31)],
    ['250 properties', object(many(250, text))],
    ['100 members', object({ a: { anyOf: Array.from({ length: 100 }, () => text) } })],
  ])('is accepted with %s', (_what, given) => {
    expect(fitSchema(given)).toHaveProperty('schema');
  });

  it('is read at once when its references lead in circles', () => {
    const members = Array.from({ length: 50 }, (_, at) => ({ allOf: [{ $ref: '#' }], title: String(at) }));
    expect(fitted({ anyOf: members })).toEqual(object({}, { required: [] }));
  });

  it('is read at once when its unions lead in circles, and when they double at each reference', () => {
    const to = (name: string) => ({ $ref: `#/$defs/${name}` });
    const tree = {
      oneOf: [object({ left: to('tree') }), object({ list: { items: { anyOf: [to('tree'), to('tree')] } } })],
    };
    expect(fitted(object({ tree: to('tree') }, { $defs: { tree } }))).toMatchObject({
      $defs: { tree: { type: 'object', properties: { left: to('tree') } } },
    });
    const defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at}`,
        object({ [`p${at}`]: { oneOf: [to(`d${at + 1}`), to(`e${at + 1}`)] } }),
      ]),
    );
    const others = Object.fromEntries(
      Object.entries(defs).map(([name, def]) => [name.replace('d', 'e'), def]),
    );
    expect(
      fitted(object({ top: { oneOf: [to('d0'), to('e0')] } }, { $defs: { ...defs, ...others } })),
    ).toMatch(/more than/);
  });

  it('is always an object without null and outside references, and fitting it again changes nothing', () => {
    const leaf = fc.constantFrom(
      text,
      { type: 'null' },
      { type: ['number', 'null'] },
      { type: ['null'] },
      { $ref: 'x' },
      { type: 'array' },
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
        fc.record({ oneOf: fc.array(tie('schema'), { maxLength: 3 }), description: fc.constant('d') }),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({
          type: fc.constant('object'),
          properties: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('schema')),
          required: fc.constant(['a', 'constructor']),
        }),
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        const once = fitted(given);
        if (typeof once === 'string') return;
        expect(once).toMatchObject({ type: 'object' });
        expect(JSON.stringify(once)).not.toMatch(/"null"|"\$ref":"x"/);
        expect(fitted(once)).toEqual(once);
      }),
    );
  });
});
