import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from './program.ts';

const nothing = async () => {};
const programFor = (...words: string[]) =>
  createProgram('0.1.0', { connect: nothing, answer: nothing }, words);
const program = await programFor('--help');
const page = readFileSync(join(import.meta.dirname, '../../../../docs/cli.md'), 'utf8');

const allBelow = (command: Command, path: string): [string, Command][] =>
  command.commands.flatMap((one): [string, Command][] => [
    [`${path} ${one.name()}`, one],
    ...allBelow(one, `${path} ${one.name()}`),
  ]);
const commands = allBelow(program, 'drawbridge');

const inWords = (flag: string): string => flag.replace(/^--permission-.*/, '--permission-<group>');
const sorted = (flags: Iterable<string>): string[] => [...new Set(flags)].sort();

/** What stands below a heading, up to the next one. */
const sectionOf = (path: string): string =>
  page.split(/^#+ /m).find((part) => part.startsWith(`\`${path}\`\n`)) ?? '';

describe.each(commands)('%s in docs/cli.md', (path, command) => {
  it('has the flags that --help has, and no other', () => {
    const flags = command.options.flatMap(({ long }) => (long ? [inWords(long)] : []));
    const named = [...sectionOf(path).matchAll(/`(--[a-z][a-z-]*(?:<group>)?)`/g)].map(
      ([, flag = '']) => flag,
    );
    const inText = new Set(['--key-store', ...flags]);
    expect(sectionOf(path)).not.toBe('');
    expect(sorted(flags.filter((flag) => !named.includes(flag)))).toEqual([]);
    expect(sorted(named.filter((flag) => !inText.has(flag)))).toEqual([]);
  });
});

it('names no command that is not there', () => {
  const headed = [...page.matchAll(/^#+ `(drawbridge [a-z ]+)`$/gm)].map(([, path]) => path);
  expect(headed.sort()).toEqual(commands.map(([path]) => path).sort());
});

it.each([
  ['--version'],
  ['-V'],
  ['connect', '--help'],
  ['https://bridge.example.org', 'gw_token'],
  ['http://127.0.0.1:3000'],
])('loads only `connect` for %s %s', async (...words) => {
  const alone = await programFor(...words);
  expect(alone.commands.map((command) => command.name())).toEqual(['connect']);
});

it.each([
  [],
  ['help', 'connect'],
  ['status'],
  ['--dir', 'site', 'status'],
  ['https://bridge.example.org', '-h'],
  ['https://bridge.example.org', '--help'],
])('loads all commands for %s %s', async (...words) => {
  const whole = await programFor(...words);
  expect(whole.commands).toHaveLength(program.commands.length);
});
