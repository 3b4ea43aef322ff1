import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { inStatus } from './session-watchers.ts';

it('says since when the server is away, not since the last attempt', () => {
  const clock = createFakeClock();
  const links: unknown[] = [];
  const status = {
    update: ({ link }: { link?: { since: string } }) => void links.push(link?.since),
    updateSoon: () => {},
    close: async () => {},
  };
  const { link } = inStatus(status, { clock });
  const away = () => link?.({ type: 'reconnecting', inMs: 1, sentence: 'connection refused' });
  away();
  clock.advance(5_000);
  away();
  expect(new Set(links).size).toBe(1);
  const rest = { refused: undefined, warnings: [], offered: undefined, machine: undefined };
  link?.({ type: 'connected', way: 'socket', ...rest });
  away();
  expect(new Set(links).size).toBe(2);
});
