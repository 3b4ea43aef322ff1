import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside the tree, where the lint's overrides reach, and in a folder that git ignores.
const folder = mkdtempSync(join(root, 'node_modules/.lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rulesBroken = (path: string, code: string): string[] => {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, code);
  const program = join(root, 'tools/node_modules/oxlint/bin/oxlint');
  const { stdout } = spawnSync(
    process.execPath,
    [program, '-c', join(root, '.oxlintrc.json'), '--no-ignore', '-f', 'json', file],
    { cwd: root, encoding: 'utf8' },
  );
  const { diagnostics, number_of_files: files } = JSON.parse(stdout) as {
    diagnostics: { code: string }[];
    number_of_files: number;
  };
  expect(files).toBe(1);
  return diagnostics.map((diagnostic) => diagnostic.code);
};

const clock = 'drawbridge(clock-only)';
const env = 'drawbridge(env-in-config)';

it.each([
  ['a timer', 'setTimeout(() => {}, 1);', [clock]],
  ['a timer of globalThis', 'globalThis.setInterval(() => {}, 1);', [clock]],
  ['a timer by another spelling', "globalThis['setTimeout'](() => {}, 1);", [clock]],
  ['a timer of node', "import { setTimeout } from 'node:timers/promises';\nawait setTimeout(1);", [clock]],
  ['the time of day', 'export const at = Date.now();', [clock]],
  ['a date of now', 'export const at = new Date();', [clock]],
  ['a date of now as text', 'export const at = Date();', [clock]],
  ['a signal with a time-out', 'export const signal = AbortSignal.timeout(1);', [clock]],
  ['a date of a given time', 'export const at = new Date(0);', []],
  ['a function of our own by that name', 'const setTimeout = (ms: number) => ms;\nsetTimeout(1);', []],
  ['the environment', 'export const home = process.env.HOME;', [env]],
  ['the environment, imported', "import { env } from 'node:process';\nexport const home = env.HOME;", [env]],
  ['any', 'export const same = (value: any): unknown => value;', ['typescript(no-explicit-any)']],
  [
    'four parameters',
    'export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;',
    ['eslint(max-params)'],
  ],
  [
    '301 lines of code',
    Array.from({ length: 301 }, (_, n) => `export const n${n} = ${n};`).join('\n'),
    ['eslint(max-lines)'],
  ],
  [
    '300 lines of code',
    Array.from({ length: 300 }, (_, n) => `// ${n}\nexport const n${n} = ${n};`).join('\n'),
    [],
  ],
  ['an import without its ending', "export * from './other';", ['drawbridge(ts-imports)']],
])('%s', (_name, code, expected) => {
  expect(rulesBroken('apps/server/src/file.ts', code)).toEqual(expected);
});

it('the environment is for config.ts', () => {
  expect(rulesBroken('apps/server/src/config.ts', 'export const home = process.env.HOME;')).toEqual([]);
});

it('a timer in the script of a .vue file', () => {
  const code = '<script setup lang="ts">\nsetTimeout(() => {}, 1);\n</script>\n<template><p /></template>\n';
  expect(rulesBroken('apps/web/src/page.vue', code)).toEqual([clock]);
});
