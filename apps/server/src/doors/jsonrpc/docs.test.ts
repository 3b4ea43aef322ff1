import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import type { Method } from './method.ts';
import { methods } from './methods.ts';

const docs = (name: string) => fileURLToPath(new URL(`../../../../../docs/${name}`, import.meta.url));

it('docs/jsonrpc.md lists every method with its callers, and no other', () => {
  const page = readFileSync(docs('jsonrpc.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([a-zA-Z_.]+)` \| (\w+) \|/gm)].map(
    ([, name, who]) => `${name} ${who}`,
  );
  expect(rows.toSorted()).toEqual([...methods.values()].map(({ name, who }) => `${name} ${who}`).toSorted());
});

type Schema = z.core.JSONSchema.BaseSchema;
const asSchema = (value: unknown): Schema =>
  typeof value === 'object' && value !== null ? { ...value } : {};
const either = (members: string[]) => [...new Set(members)].join(' | ');
const width = 100;

/** A schema in the manner of TypeScript; an object that is wider than a line has a line for each field. */
const typeOf = (schema: Schema, indent = ''): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return either(schema.enum.map((one) => JSON.stringify(one)));
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return either(members.map((one) => typeOf(asSchema(one), indent)));
  if (Array.isArray(schema.type)) return either(schema.type);
  if (schema.type === 'array') {
    const items = asSchema(schema.items);
    const item = typeOf(items, indent);
    return (items.enum ?? items.anyOf ?? items.oneOf) === undefined ? `${item}[]` : `(${item})[]`;
  }
  if (schema.type !== 'object') return schema.type ?? 'any';
  const inner = `${indent}  `;
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, one]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(asSchema(one), inner)}`,
  );
  const { additionalProperties: others } = schema;
  if (fields.length === 0) return typeof others === 'object' ? `{ [name]: ${typeOf(others, indent)} }` : '{}';
  const line = `{ ${fields.join(', ')} }`;
  const isShort = line.length + indent.length <= width && !line.includes('\n');
  return isShort ? line : `{\n${fields.map((field) => `${inner}${field}\n`).join('')}${indent}}`;
};

/** Without the numbers that stand for no limit. */
const limit = (value: unknown) => (Math.abs(Number(value)) < Number.MAX_SAFE_INTEGER ? Number(value) : null);
const range = (from: unknown, to: unknown, unit: string): string[] => {
  const [least, most] = [limit(from), limit(to)];
  if (most !== null) return [`${least ?? 0} to ${most}${unit}`];
  return least === null ? [] : [`at least ${least}${unit}`];
};
const limitsOf = (schema: Schema): string[] => [
  ...range(schema.minLength, schema.maxLength, ' characters'),
  ...range(schema.minItems, schema.maxItems, ' items'),
  ...range(schema.minimum, schema.maximum, ''),
  ...(schema.pattern === undefined ? [] : [`matches \`${schema.pattern}\``]),
  ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
];

const inOneLine = (type: string) =>
  type
    .replaceAll(/\{\n\s+/g, '{ ')
    .replaceAll(/\n\s*\}/g, ' }')
    .replaceAll(/\n\s+/g, ', ');
const cell = (text: string) => text.replaceAll('|', '\\|');
const rowOf = (required: readonly string[], [name, one]: [string, unknown]) => {
  const schema = asSchema(one);
  const words = [required.includes(name) ? 'required' : 'optional', ...limitsOf(schema)];
  return `| \`${name}\` | \`${cell(inOneLine(typeOf(schema)))}\` | ${cell(words.join(', '))} |`;
};

const sectionOf = ([name, { params, result }]: [string, Method]): string => {
  const options = { unrepresentable: 'any', reused: 'inline' } as const;
  const takes = z.toJSONSchema(params, { ...options, io: 'input' });
  const gives = z.toJSONSchema(result, { ...options, io: 'output' });
  const rows = Object.entries(takes.properties ?? {}).map((entry) => rowOf(takes.required ?? [], entry));
  const table = ['| parameter | type | |', '| --- | --- | --- |', ...rows, ''];
  const lines = rows.length === 0 ? ['No parameters.', ''] : table;
  return [`## \`${name}\``, '', ...lines, 'Result:', '', '```ts', typeOf(gives), '```', ''].join('\n');
};

it('docs/jsonrpc-parameters.md has the schemas of every method', async () => {
  const head = [
    '# Parameters and results of the JSON-RPC methods',
    '',
    'Generated from the schemas that parse the requests, in [`contracts/src/rpc`](../packages/contracts/src/rpc). A `?` marks',
    'what may be missing. [jsonrpc.md](jsonrpc.md) says what the methods do. To write this page anew:',
    '`pnpm vitest run --project server doors/jsonrpc/docs --update`.',
    '',
  ].join('\n');
  const page = [
    head,
    ...[...methods].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(sectionOf),
  ].join('\n');
  await expect(page).toMatchFileSnapshot(docs('jsonrpc-parameters.md'));
});
