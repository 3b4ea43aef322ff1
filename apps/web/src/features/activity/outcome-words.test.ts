import { expect, it } from 'vitest';
import { outcomeWords } from './outcome-words.ts';

const look = 'Look at the machine before you try again.';
const disconnected = { code: 'DISCONNECTED', message: 'Local gateway disconnected' };

it.each([
  ['lost', null, ['It may have run', look, true]],
  ['lost', true, ['It may have run', look, true]],
  ['cancelled', false, ['Cancelled before it started', 'Nothing was done.', false]],
  ['cancelled', true, ['Cancelled after it had started', 'What it did until then stays done.', false]],
  ['cancelled', null, ['Cancelled. It may have run', look, true]],
  ['timed-out', false, ['Timed out before it started', 'Nothing was done.', false]],
  [
    'timed-out',
    true,
    ['Timed out while it ran', 'It was stopped. What it did until then stays done.', false],
  ],
  ['timed-out', null, ['Timed out. It may have run', look, true]],
] as const)('%s, started: %s', (state, started, [title, text, unsure]) => {
  expect(outcomeWords({ state, started, error: null })).toEqual({ title, text, unsure });
});

it.each([
  ['failed', null, disconnected, 'The machine went away. It may have run'],
  ['failed', false, disconnected, undefined],
  ['failed', true, { code: 'TOOL_FAILED', message: 'x' }, undefined],
  ['denied', false, { code: 'DENIED', message: 'x' }, undefined],
  ['succeeded', true, null, undefined],
  ['delivered', null, null, undefined],
] as const)('%s, started: %s, with %o', (state, started, error, title) => {
  expect(outcomeWords({ state, started, error })?.title).toBe(title);
});
