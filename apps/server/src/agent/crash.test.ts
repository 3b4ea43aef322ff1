import { expect, it } from 'vitest';
import { play, playEachWrite, stories } from '../../test/agent-stories.ts';

// agent-crash.long.ts has the other stories.
const quick = ['a call that asks', 'a question', 'a tool outside', 'a stop'] as const;

it.each(quick)(
  'the server is gone after each write of %s',
  (name) => playEachWrite(stories[name], true),
  60_000,
);

it('the server is gone again after each write of its next start', async () => {
  const moment = { at: 12, isStored: true };
  const { startWrites } = await play(stories['a call that asks'], moment);
  for (let at = 1; at <= startWrites; at += 1)
    await play(stories['a call that asks'], moment, { at, isStored: true });
  expect(startWrites).toBeGreaterThan(1);
}, 60_000);
