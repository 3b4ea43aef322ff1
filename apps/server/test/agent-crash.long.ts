import { describe, it } from 'vitest';
import { playEachWrite, stories } from './agent-stories.ts';

describe.each(Object.entries(stories))('%s', (_, story) => {
  it('with the server gone after each write', () => playEachWrite(story, true));
  it('with the server gone before each write', () => playEachWrite(story, false));
});
