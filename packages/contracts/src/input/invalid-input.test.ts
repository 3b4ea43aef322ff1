import { expect, it } from 'vitest';
import { z } from 'zod';
import { httpUrl, invalidInput } from './invalid-input.ts';

it.each<[z.ZodType, unknown, string]>([
  [z.object({ a: z.string() }), {}, 'a: is missing'],
  [z.object({ a: z.string() }), { a: 7 }, 'a: must be a text'],
  [z.object({ a: z.int() }), { a: 'x' }, 'a: must be a number'],
  [z.object({ a: z.int() }), { a: 0.5 }, 'a: must be a whole number'],
  [z.object({ a: z.array(z.boolean()) }), { a: [1] }, 'a.0: must be true or false'],
  [z.strictObject({}), { b: 1, c: 2 }, 'input: has unknown fields: "b", "c"'],
  [z.string().min(1), '', 'input: must not be empty'],
  [z.string().min(10), 'x', 'input: must have at least 10 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'input: must have at most 1 entry'],
  [z.number().min(2), 1, 'input: must be at least 2'],
  [z.number().positive(), 0, 'input: must be more than 0'],
  [z.enum(['a', 'b']), 'c', 'input: must be one of "a", "b"'],
  [z.literal('a'), 'c', 'input: must be "a"'],
  [z.email(), 'c', 'input: must be an e-mail address, such as ann@example.org'],
  [z.string().regex(/^x$/), 'c', 'input: has characters or a form that are not accepted'],
  [z.string().startsWith('gw_'), 'c', 'input: must begin with "gw_"'],
  [z.union([z.string(), z.number()]), null, 'input: has a form that is not accepted'],
  [z.iso.datetime(), 'c', 'input: must be a time in UTC, such as 2030-01-31T12:00:00Z'],
  [httpUrl, 'localhost:5910', 'input: must begin with http:// or https://, such as http://localhost:5910'],
  [
    httpUrl,
    'ftp://ann:secret@host',
    'input: must begin with http:// or https://, such as http://localhost:8080',
  ],
])('says of %o what is wrong with %o', (schema, value, sentence) => {
  const { error } = schema.safeParse(value);
  expect(error && invalidInput(error)).toBe(sentence);
});
