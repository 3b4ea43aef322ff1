import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside the tree, where the lint's overrides reach, and in a folder that git ignores.
const folder = mkdtempSync(join(root, 'node_modules/.lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Diagnostic {
  code: string;
  filename: string;
}

const clock = 'drawbridge(clock-only)';
const env = 'drawbridge(env-in-config)';
const tuple = 'drawbridge(no-tuple-parameters)';

const functionOf = (lines: number) =>
  ['export const work = () => {', ...Array.from({ length: lines - 2 }, (_, n) => `  work(${n});`), '};'].join(
    '\n',
  );

const cases: [name: string, code: string, expected: string[], path?: string][] = [
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
    'five parameters',
    'export const sum = (a: number, b: number, c: number, d: number, e: number) => a + b + c + d + e;',
    ['eslint(max-params)'],
  ],
  [
    'four parameters',
    'export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;',
    [],
  ],
  [
    'a tuple of parameters',
    'export const sum = (a: number, [b, c]: [number, number]) => a + b + c;',
    [tuple],
  ],
  ['the same under a name', 'export const sum = (a: number, of: [number, number]) => a + of[0];', [tuple]],
  ['parameters by a rest', 'export function sum(...[a, b]: [number, number]) {\n  return a + b;\n}', [tuple]],
  ['an entry', 'export const text = ([name, value]: [string, number]) => `${name}${value}`;', []],
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
  ['a function of 81 lines', functionOf(81), ['eslint(max-lines-per-function)']],
  ['a function of 80 lines', functionOf(80), []],
  ['a test of 81 lines', functionOf(81), [], 'apps/server/src/file.test.ts'],
  ['an import without its ending', "export * from './other';", ['drawbridge(ts-imports)']],
  ['the environment in config.ts', 'export const home = process.env.HOME;', [], 'apps/server/src/config.ts'],
  [
    'a timer in the script of a .vue file',
    '<script setup lang="ts">\nsetTimeout(() => {}, 1);\n</script>\n<template><p /></template>\n',
    [clock],
    'apps/web/src/page.vue',
  ],
];

const oxlint = (config: string, files: readonly string[]) => {
  const program = join(root, 'tools/node_modules/oxlint/bin/oxlint');
  const given = [program, '-c', config, '--no-ignore', '-f', 'json', ...files];
  const { stdout } = spawnSync(process.execPath, given, { cwd: root, encoding: 'utf8' });
  return JSON.parse(stdout) as { diagnostics: Diagnostic[]; number_of_files: number };
};

let diagnostics: Diagnostic[];

// One run for all: each start of the linter costs a second.
beforeAll(() => {
  const files = cases.map(([, code, , path = 'apps/server/src/file.ts'], at) => {
    const file = join(folder, String(at), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
    return file;
  });
  const report = oxlint(join(root, '.oxlintrc.json'), files);
  expect(report.number_of_files).toBe(files.length);
  ({ diagnostics } = report);
});

it.each(cases.map(([name, , expected], at) => ({ name, expected, at })))('$name', ({ expected, at }) => {
  const own = diagnostics.filter(({ filename }) => filename.includes(`${basename(folder)}/${at}/`));
  expect(own.map(({ code }) => code)).toEqual(expected);
});

interface LintConfig {
  rules: Record<string, unknown>;
  overrides: { files: string[]; rules: Record<string, unknown> }[];
}

it('lists as files with long functions only those that have one', () => {
  const path = join(root, '.oxlintrc.json');
  const { config } = ts.parseConfigFileTextToJson(path, readFileSync(path, 'utf8')) as { config: LintConfig };
  const rule = 'max-lines-per-function';
  const listed = config.overrides
    .filter(({ rules }) => rules[rule] === 'off')
    .flatMap(({ files }) => files.filter((file) => !file.includes('*')));
  const withoutList = join(folder, 'functions.json');
  writeFileSync(withoutList, JSON.stringify({ rules: { [rule]: config.rules[rule] } }));
  const found = oxlint(withoutList, listed).diagnostics.filter(({ code }) => code === `eslint(${rule})`);
  const long = new Set(found.map(({ filename }) => filename));
  expect(listed).not.toEqual([]);
  expect(listed.filter((file) => !long.has(file))).toEqual([]);
});
