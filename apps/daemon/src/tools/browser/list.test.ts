import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { connectTools } from './connection.ts';
import { listedTools } from './list.ts';

type Packaged = { name: string; title?: string; description?: string; inputSchema: object };
let packaged: Packaged[] = [];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-'));
  const connection = await connectTools(async () => {
    throw new Error('no browser');
  }, folder);
  packaged = await connection.tools();
  await connection.close();
  rmSync(folder, { recursive: true });
}, 60_000);

const leftOut = [
  // They run code of the caller's (BR-08).
  'browser_evaluate',
  'browser_run_code_unsafe',
  // Files by drag and drop go around the upload's checks (BR-07).
  'browser_drop',
  // Its headers carry cookies and keys (BR-09).
  'browser_network_request',
  'browser_emulate_media',
];

/** What the package has and we do not: names of files to write, and patterns that run in this process. */
const withoutArguments = new Set(['filename', 'regex', 'filter']);
const limits = new Set([
  'minimum',
  'maximum',
  'maxLength',
  'maxItems',
  '$schema',
  'description',
  'propertyNames',
]);

const shape = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shape);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      limits.has(key) || withoutArguments.has(key) ? [] : [[key, shape(inner)]],
    ),
  );
};

it('BR-08 offers the tools of the package but for those that run code or go around a check', () => {
  const offered = listedTools.map(({ name }) => name);
  expect([...offered, ...leftOut].sort()).toEqual(packaged.map(({ name }) => name).sort());
});

it.each(listedTools.map((tool) => [tool.name, tool] as const))(
  '%s takes what the package takes, within limits',
  (name, tool) => {
    const theirs = packaged.find((one) => one.name === name);
    const ours = z.toJSONSchema(tool.input, { io: 'output' });
    expect(shape(ours)).toEqual(shape(theirs?.inputSchema));
  },
);

it.each<[string, Record<string, unknown>]>([
  ['browser_snapshot', { filename: 'x.md' }],
  ['browser_take_screenshot', { filename: '../x.png' }],
  ['browser_console_messages', { filename: 'x' }],
  ['browser_find', { regex: '(a+)+$' }],
  ['browser_network_requests', { filter: '(a+)+$' }],
  ['browser_resize', { width: 1e9, height: 10 }],
  ['browser_resize', { width: Number.NaN, height: 500 }],
  ['browser_type', { target: 'e1', text: 'x'.repeat(100_001) }],
  ['browser_file_upload', { paths: Array(21).fill('a') }],
])('BR-12 %s refuses %o', (name, args) => {
  const tool = listedTools.find((one) => one.name === name);
  expect(tool?.input.safeParse(args).success).toBe(false);
});
