import { expect, it } from 'vitest';
import { outcomeWords } from './outcome-words.ts';

const look = 'Check the machine before you try again.';
const stays = 'Changes made before that are kept.';
const rest = { durationMs: 10_900, ruling: null, printedLines: 0 };
const disconnected = { code: 'DISCONNECTED', message: 'Local gateway disconnected' };

it.each([
  ['lost', null, ['It may have run', look, true]],
  ['lost', true, ['It may have run', look, true]],
  ['cancelled', false, ['Cancelled before it started', 'Nothing was changed.', false]],
  ['cancelled', true, ['Stopped after 10.9 s', stays, false]],
  ['cancelled', null, ['Cancelled. It may have run', look, true]],
  ['timed-out', false, ['Timed out before it started', 'Nothing was changed.', false]],
  ['timed-out', true, ['Timed out after 10.9 s', stays, false]],
  ['timed-out', null, ['Timed out. It may have run', look, true]],
] as const)('%s, started: %s', (state, started, [title, text, unsure]) => {
  expect(outcomeWords({ ...rest, state, started, error: null })).toEqual({ title, text, unsure });
});

it.each([
  ['failed', null, disconnected, 'The machine disconnected. It may have run'],
  ['failed', false, disconnected, undefined],
  ['failed', true, { code: 'TOOL_FAILED', message: 'x' }, undefined],
  ['denied', false, { code: 'DENIED', message: 'x' }, undefined],
  ['succeeded', true, null, undefined],
  ['delivered', null, null, undefined],
] as const)('%s, started: %s, with %o', (state, started, error, title) => {
  expect(outcomeWords({ ...rest, state, started, error })?.title).toBe(title);
});

it('says how much a call had printed when it was stopped', () => {
  const ended = { state: 'cancelled', started: true, error: null, ruling: null } as const;
  expect(outcomeWords({ ...ended, durationMs: null, printedLines: 1 })).toMatchObject({
    title: 'Stopped',
    text: `It had printed 1 line. ${stays}`,
  });
});
