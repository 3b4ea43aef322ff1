import { expect, it } from 'vitest';
import { problemsOf } from './password-problems.ts';

const current = 'a long password';
const next = 'another long password';

it.each([
  ['nothing', { current, next, again: next }, {}],
  ['ten characters', { current, next: '1234567890', again: '1234567890' }, {}],
  ['128 characters', { current, next: 'x'.repeat(128), again: 'x'.repeat(128) }, {}],
  ['no current password', { current: '', next, again: next }, { current: 'Enter your current password' }],
  [
    'nine characters',
    { current, next: '123456789', again: '123456789' },
    { next: 'Use at least 10 characters' },
  ],
  [
    '129 characters',
    { current, next: 'x'.repeat(129), again: 'x'.repeat(129) },
    { next: 'Use at most 128 characters' },
  ],
  [
    'the same password',
    { current, next: current, again: current },
    { next: 'Choose a password other than the current one' },
  ],
  [
    'two new ones',
    { current, next, again: 'a third long password' },
    { again: 'The passwords do not match' },
  ],
  [
    'an empty form',
    { current: '', next: '', again: '' },
    { current: 'Enter your current password', next: 'Use at least 10 characters' },
  ],
])('says what is wrong with %s', (_, given, problems) => {
  expect(problemsOf(given)).toEqual(problems);
});
