import { expect, it } from 'vitest';
import { failedLines } from './failed.ts';

it('names what failed with its errors and the place in our code', () => {
  const stack = [
    'Error: no',
    '    at check (/repository/node_modules/library/index.js:1:1)',
    '    at /repository/e2e/one.test.ts:7:3',
    '    at /repository/e2e/other.ts:1:1',
  ].join('\n');
  expect(
    failedLines([
      {
        name: 'e2e one.test.ts > opens',
        errors: [{ message: '\u001b[31mexpected 1\u001b[39m\nto be 2', stack, diff: '\n- 1\n+ 2\n' }],
      },
      { name: 'e2e other.test.ts', errors: [{ message: 'timed out' }] },
    ]),
  ).toEqual([
    'Failed 2:',
    'e2e one.test.ts > opens',
    '    expected 1',
    '    to be 2',
    '    - 1',
    '    + 2',
    '    at /repository/e2e/one.test.ts:7:3',
    'e2e other.test.ts',
    '    timed out',
  ]);
  expect(failedLines([])).toEqual([]);
});

it('stays short when much failed', () => {
  const failure = { name: 'a test', errors: [{ message: 'no\n'.repeat(100) }] };
  const lines = failedLines(Array.from({ length: 20 }, () => failure));
  expect(lines).toHaveLength(62);
  expect(lines.at(-1)).toBe('and 60 lines more, above');
});
