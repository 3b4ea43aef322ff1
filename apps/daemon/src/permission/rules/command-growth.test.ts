import { defaultModes } from '@drawbridge/contracts/groups';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readingsOf } from './command-words.ts';
import { prepareDenials } from './deny.ts';
import { evaluate } from './evaluate.ts';

const shell = (command: string) => ({
  toolGroup: 'shell' as const,
  resource: `"/w" $ ${command}`,
  description: '',
});
const policyOf = (denied: string[]) => ({
  modes: { ...defaultModes, shell: 'ask' as const },
  deny: prepareDenials(denied.map((resource) => ({ toolGroup: 'shell', resource }))),
  allow: [],
  root: '/w',
});

/** Words that are kept, readings, and look-ups of all comparisons. */
const workOf = (command: string, denied: string[]): number => {
  const readings = readingsOf(command);
  const kept = new Set(readings.map(({ words }) => words));
  const policy = policyOf(denied);
  const lookUp = vi.spyOn(Map.prototype, 'get');
  evaluate(policy, shell(command));
  const lookUps = lookUp.mock.calls.length;
  lookUp.mockRestore();
  return [...kept].reduce((sum, words) => sum + words.length, 0) + readings.length + lookUps;
};

const names = (count: number) => Array.from({ length: count }, (_, at) => `name${at}`).join(' ');

it.each<[string, string, string[]]>([
  ['one wrapper, again and again', `${'env '.repeat(24_000)}x`, ['wget']],
  ['xargs with many names', `xargs rm ${names(11_000)}`, ['wget']],
  ['a rule as long as the command', `env ${'a '.repeat(40_000)}b`, [`env ${'a '.repeat(40_000)}c`]],
  ['a rule of as many different words', `env ${names(10_000)} x`, [`env ${names(10_000)}`]],
  ['a thousand rules', `${'env '.repeat(8_000)}x`, Array.from({ length: 1_000 }, (_, at) => `wget ${at}`)],
])('NJ-05b: %s is evaluated at once', (_case, command, denied) => {
  const before = process.cpuUsage();
  expect(evaluate(policyOf(denied), shell(command))).not.toBe('allow');
  expect(process.cpuUsage(before).user).toBeLessThan(5e6);
});

const families: [string, (count: number) => string][] = [
  ['wrappers of different names', (count) => 'sudo env nice timeout xargs '.repeat(count)],
  ['one shell after the other', (count) => 'sh bash eval watch '.repeat(count)],
  ['a wrapper of shells', (count) => `timeout 5 ${'sh -c x '.repeat(count)}`],
  ['a text in a text', (count) => `sh -c "${"bash -c 'env env x' ".repeat(count)}"`],
  ['many commands', (count) => 'env a; '.repeat(count)],
  ['commands in a text', (count) => `eval '${'env a b; '.repeat(count)}'`],
  ['words of the language', (count) => 'if then else do while '.repeat(count)],
  ['assignments', (count) => `env ${'A=1 '.repeat(count)}x`],
  ['find with programs', (count) => `find . ${'-exec rm {} + '.repeat(count)}`],
  ['substitutions', (count) => `env ${'$(env x) '.repeat(count)}`],
  ['what a rule says, nearly', (count) => `env ${'a '.repeat(count)}`],
  ['backslashes', (count) => `env ${'\\a '.repeat(count)}`],
];
const denied = ['wget', 'sh -c y', `${'a '.repeat(200)}b`, `${'env '.repeat(200)}b`];

it.each(families)('NJ-05b: twice as much of %s is twice the work', (_case, make) => {
  const [once, twice] = [workOf(make(400), denied), workOf(make(800), denied)];
  expect(twice).toBeLessThan(2.1 * once + 100);
});

it('NJ-05b: the work grows as the command does, however it is put together (property)', () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const part = fc.constantFrom(
    'env',
    'sh',
    'x',
    'A=1',
    '"',
    "'",
    ';',
    '$(',
    '\\',
    '`',
    'xargs',
    'find',
    '-c',
    '\n',
    '{',
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 20 }), (parts) => {
      const command = `env sh ${`${parts.join(' ')} `.repeat(100)}`;
      expect(workOf(command, denied)).toBeLessThan(40 * command.length);
    }),
  );
});

it.each(['timeout 5 sh -c "rm a"', 'nice sh -c "ls; rm a"', 'env -S "rm a"', 'if sh -c "rm a"; then ls; fi'])(
  'SH-25 a rule for rm meets a shell behind a wrapper: %j',
  (command) => {
    expect(evaluate(policyOf(['rm']), shell(command))).toBe('deny');
  },
);
