import { describe, it } from 'vitest';
import { playEachWrite, stories } from './agent-stories.ts';

// `crash.test.ts` has the rest: `a call that asks` after each write, and `a tool outside` before each.
const { 'a call that asks': _asks, ...afterEach } = stories;
const { 'a tool outside': _outside, ...beforeEach } = stories;

describe('with the server gone after each write of', () => {
  it.each(Object.entries(afterEach))('%s', (_, story) => playEachWrite(story, true));
});

describe('with the server gone before each write of', () => {
  it.each(Object.entries(beforeEach))('%s', (_, story) => playEachWrite(story, false));
});
