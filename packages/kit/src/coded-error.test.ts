import { expect, it } from 'vitest';
import { CodedError, createErrors } from './index.ts';

const errors = createErrors({
  full: { code: 'FULL', message: 'It is full', fix: 'Empty it.' },
  plain: { code: 'PLAIN', message: 'It failed' },
});

const parts = ({ name, code, message, fix, cause }: CodedError) => ({ name, code, message, fix, cause });

it.each([
  ['a row', errors.full(), { code: 'FULL', message: 'It is full', fix: 'Empty it.', cause: undefined }],
  [
    'a row without a fix',
    errors.plain(),
    { code: 'PLAIN', message: 'It failed', fix: undefined, cause: undefined },
  ],
  [
    'a row with another message',
    errors.full({ message: 'The disk is full', fix: 'Delete something.', cause: 'ENOSPC' }),
    { code: 'FULL', message: 'The disk is full', fix: 'Delete something.', cause: 'ENOSPC' },
  ],
])('makes an error from %s', (_name, error, expected) => {
  expect(error).toBeInstanceOf(CodedError);
  expect(parts(error)).toEqual({ name: 'CodedError', ...expected });
});

it('has no cause where none was given', () => {
  expect('cause' in errors.plain()).toBe(false);
});
