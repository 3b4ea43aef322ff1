import { expect, it } from 'vitest';
import { hasCode } from './has-code.ts';

it('compares the code of an error, and of an error alone', () => {
  const missing = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  expect([
    hasCode(missing, 'ENOENT'),
    hasCode(missing, 'EEXIST'),
    hasCode(new Error('plain'), 'ENOENT'),
    hasCode({ code: 'ENOENT' }, 'ENOENT'),
    hasCode(null, 'ENOENT'),
  ]).toEqual([true, false, false, false, false]);
});
