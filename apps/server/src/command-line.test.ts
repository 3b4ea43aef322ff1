import { expect, it } from 'vitest';
import { readCommand, type Command } from './command-line.ts';

const create = (...more: string[]) => ['token', 'create', '--user', 'ann@example.org', ...more];
const wrong = (sentence: unknown) => ({ kind: 'wrong', sentence });
const made = (change: Partial<Extract<Command, { kind: 'token-create' }>['input']> = {}, json = false) => ({
  kind: 'token-create',
  email: 'ann@example.org',
  input: { name: 'Desk', scopes: ['filesystemRead'], expiresInDays: 90, ...change },
  json,
});

it.each([
  ['nothing', [], { kind: 'start' }],
  ['help', ['token', 'create', '--help'], { kind: 'help' }],
  ['a name alone', create('--name', 'Desk'), made()],
  ['JSON', create('--name', 'Desk', '--json'), made({}, true)],
  [
    'scopes and days',
    create('--name', 'Desk', '--scopes', 'shell,browser', '--days', '7'),
    made({ scopes: ['shell', 'browser'], expiresInDays: 7 }),
  ],
  ['no name', create(), wrong(expect.stringMatching(/^--name: /))],
  [
    'a scope that is none',
    create('--name', 'Desk', '--scopes', 'all'),
    wrong(expect.stringMatching(/^--scopes: /)),
  ],
  ['too many days', create('--name', 'Desk', '--days', '367'), wrong(expect.stringMatching(/^--days: /))],
  ['days that are none', create('--name', 'Desk', '--days', 'x'), wrong(expect.stringMatching(/^--days: /))],
  ['no user', ['token', 'create', '--name', 'Desk'], wrong(expect.stringMatching(/^--user: /))],
  ['a flag that is none', create('--name', 'Desk', '--port=80'), wrong(expect.stringContaining('--port'))],
  ['a word too many', create('--name', 'Desk', 'more'), wrong(expect.stringContaining('more'))],
  ['another command', ['token', 'show'], wrong(expect.stringContaining('no such command'))],
  ['an old flag', ['--port=80'], wrong(expect.stringContaining('no such command'))],
])('reads %s', (_, args, command) => {
  expect(readCommand(args)).toEqual(command);
});
