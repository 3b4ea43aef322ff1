import { expect, it } from 'vitest';
import { play, playEachWrite, stories } from '../../test/agent-stories.ts';

// agent-crash.long.ts has the other stories.
it(
  'PS-05 the server is gone after each write of a call that asks',
  () => playEachWrite(stories['a call that asks'], true),
  60_000,
);

// The tool has run, and its result is not stored: it must not run again.
it(
  'the server is gone before each write of a tool outside',
  () => playEachWrite(stories['a tool outside'], false),
  60_000,
);

it('the server is gone again after each write of its next start', async () => {
  const moment = { at: 12, isStored: true };
  const { startWrites } = await play(stories['a call that asks'], moment);
  for (let at = 1; at <= startWrites; at += 1)
    await play(stories['a call that asks'], moment, { at, isStored: true });
  expect(startWrites).toBeGreaterThan(1);
}, 60_000);
