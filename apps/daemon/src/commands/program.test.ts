import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseServerUrl } from './common/server-url.ts';
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

it.each([
  ['permissions set', "error  The argument 'group' is missing.", 'drawbridge permissions set --help'],
  ['sandbox add', "error  The argument 'path' is missing.", 'drawbridge sandbox add --help'],
  ['permissions set shel ask', "error  There is no group 'shel'.", 'drawbridge permissions set --help'],
  ['permissions set shell maybe', "error  There is no mode 'maybe'.", 'drawbridge permissions set --help'],
  ['status --nothing', "error  There is no option '--nothing'.", 'drawbridge status --help'],
  ['sandbox list more', 'error  There are too many arguments', 'drawbridge sandbox list --help'],
  [
    'permissions sett',
    "error  There is no command 'sett'. (Did you mean set?)",
    'drawbridge permissions --help',
  ],
  ['mcp lst', "error  There is no command 'lst'. (Did you mean list?)", 'drawbridge mcp --help'],
  ['tui --session', "error  The option '--session <id>' needs a value.", 'drawbridge tui --help'],
  ['https://a.example --link no', "error  --link cannot be 'no'.", 'drawbridge connect --help'],
])('says what is wrong in its own words, and whose help to read: %s', async (line, error, help) => {
  const words = line.split(' ');
  const said: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  await expect((await programFor(...words)).parseAsync(words, { from: 'user' })).rejects.toThrow();
  const text = said.join('').replaceAll(/\s+/g, ' ');
  expect(text).toContain(error.replaceAll(/\s+/g, ' '));
  expect(text).toMatch(new RegExp(`next See .*${help.replace('drawbridge', '')}\\. $`));
});

it('lists the MCP servers without a subcommand, as other lists do', async () => {
  const said: string[] = [];
  const answer = async () => void said.push('listed');
  const words = ['mcp'];
  const whole = await createProgram('0.1.0', { connect: nothing, answer }, words);
  await whole.parseAsync(words, { from: 'user' });
  expect(said).toEqual(['listed']);
});

it.each(program.commands.map((one) => one.name()))(
  'knows what is meant by %s with a letter too many',
  (name) => {
    expect(() => parseServerUrl(`${name}x`, { allowInsecureHttp: false })).toThrow(`Did you mean ${name}?`);
  },
);

it('says how an address begins where it has no scheme', () => {
  expect(() => parseServerUrl('127.0.0.1:5820', { allowInsecureHttp: false })).toThrow(
    expect.objectContaining({
      message: 'Not an address or a command: 127.0.0.1:5820',
      fix: expect.stringMatching(
        /^An address begins with https:\/\/ or http:\/\/\. For commands see .+ --help\.$/,
      ),
    }),
  );
});

it('has no hidden flag in its help', () => {
  expect(program.helpInformation()).not.toContain('--closed');
});
