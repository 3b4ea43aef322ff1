import { expect, it } from 'vitest';
import { formOf, type FormField } from './form-field.ts';
import { complaintsOf, startOf } from './form-value.ts';

const kinds = (form: FormField): unknown => {
  if (form.kind === 'object')
    return Object.fromEntries(form.fields.map((field) => [field.name, kinds(field)]));
  if (form.kind === 'array') return [kinds(form.item)];
  return form.kind;
};
const schemaOf = (property: object, required = false) => ({
  type: 'object',
  properties: { a: property },
  ...(required ? { required: ['a'] } : {}),
});

it.each([
  ['a string', { type: 'string' }, 'string'],
  ['a number', { type: 'number' }, 'number'],
  ['an integer', { type: 'integer' }, 'number'],
  ['a boolean', { type: 'boolean' }, 'boolean'],
  ['an enum', { enum: ['x', 'y', 3] }, 'enum'],
  ['a constant', { const: 'x' }, 'enum'],
  ['a string or null', { type: ['string', 'null'] }, 'string'],
  ['a list of strings', { type: 'array', items: { type: 'string' } }, ['string']],
  [
    'a list of objects',
    { type: 'array', items: { type: 'object', properties: { b: { type: 'boolean' } } } },
    [{ b: 'boolean' }],
  ],
  ['an object', { type: 'object', properties: { b: { type: 'number' } } }, { b: 'number' }],
  ['an object without a type', { properties: { b: { type: 'number' } } }, { b: 'number' }],
  ['several types', { type: ['string', 'number'] }, 'json'],
  ['any of several', { anyOf: [{ type: 'string' }, { type: 'number' }] }, 'json'],
  ['a reference', { $ref: '#/$defs/x' }, 'json'],
  ['an enum of objects', { enum: [{ x: 1 }] }, 'json'],
  ['a list of anything', { type: 'array' }, 'json'],
  ['an object of anything', { type: 'object', additionalProperties: true }, 'json'],
  ['nothing said', {}, 'json'],
])('makes a part for %s', (_what, property, expected) => {
  expect(kinds(formOf(schemaOf(property)))).toEqual({ a: expected });
});

it.each([
  ['no properties', { type: 'object', properties: {}, additionalProperties: false }, {}],
  ['open properties', { type: 'object' }, 'json'],
  ['a choice of objects', { type: 'object', oneOf: [] }, 'json'],
])('reads a whole schema with %s', (_what, schema, expected) => {
  expect(kinds(formOf(schema))).toEqual(expected);
});

it('ends in JSON where a schema nests without end', () => {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let depth = 0; depth < 32; depth += 1) schema = { type: 'object', properties: { in: schema } };
  expect(kinds(formOf(schema))).toEqual({ in: { in: { in: { in: { in: 'json' } } } } });
});

it('puts required fields first and takes defaults', () => {
  const form = formOf({
    type: 'object',
    properties: {
      late: { type: 'string', default: 'x' },
      first: { type: 'string' },
      limits: {
        type: 'object',
        properties: { most: { type: 'integer', default: 50 }, least: { type: 'integer' } },
      },
      flag: { type: 'boolean' },
    },
    required: ['first', 'flag', 'limits'],
  });
  expect(form.kind === 'object' && form.fields.map(({ name }) => name)).toEqual([
    'first',
    'limits',
    'flag',
    'late',
  ]);
  expect(startOf(form)).toEqual({ limits: { most: 50 }, flag: false, late: 'x' });
});

it.each<[string, object, unknown, string[]]>([
  ['a missing required value', { type: 'string' }, undefined, ['a: Required']],
  ['an empty required text', { type: 'string' }, '', []],
  ['a long text', { type: 'string', maxLength: 2 }, 'abc', ['a: At most 2 characters']],
  ['a fraction', { type: 'integer' }, 1.5, ['a: Must be a whole number']],
  ['not a number', { type: 'number' }, Number.NaN, ['a: Must be a number']],
  ['too small', { type: 'number', minimum: 1 }, 0, ['a: At least 1']],
  ['too large', { type: 'number', maximum: 1 }, 2, ['a: At most 1']],
  ['an item', { type: 'array', items: { type: 'integer' } }, [1, 2.5], ['a.1: Must be a whole number']],
  [
    'a part',
    { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
    {},
    ['a.b: Required'],
  ],
])('complains of %s', (_what, property, value, expected) => {
  const form = formOf(schemaOf(property, true));
  expect(
    complaintsOf(form, value === undefined ? {} : { a: value }).map(({ at, message }) => `${at}: ${message}`),
  ).toEqual(expected);
});
