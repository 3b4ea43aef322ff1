import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createServerClock } from './server-clock.ts';

const answerAt = (date: string) => ({ headers: new Headers({ date }) });
const start = Date.UTC(2026, 0, 1);
const later = (ms: number) => answerAt(new Date(start + ms).toUTCString());

it('is the time of the server where that of the computer is wrong', () => {
  const own = createFakeClock(start);
  const { clock, learn } = createServerClock(own);
  expect(clock.now()).toBe(start);
  learn(later(600_000));
  expect(clock.now()).toBe(start + 600_000);
  own.advance(60_000);
  expect(clock.now()).toBe(start + 660_000);
  learn(later(-86_400_000));
  expect(clock.now()).toBe(start - 86_400_000);
});

it('stays where they differ by no more than an answer takes, and where an answer has no time', () => {
  const { clock, learn } = createServerClock(createFakeClock(start));
  for (const answer of [later(4_000), later(-5_000), answerAt('soon'), { headers: new Headers() }])
    learn(answer);
  expect(clock.now()).toBe(start);
});
