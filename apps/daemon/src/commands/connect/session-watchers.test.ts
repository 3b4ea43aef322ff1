import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createTerminalOutput } from '../../terminal/terminal-output.ts';
import { inStatus, inTerminal } from './session-watchers.ts';

it('says once where questions are answered', () => {
  let shown = '';
  const terminal = createTerminalOutput({ write: (text) => (shown += text), colours: false });
  const clock = createFakeClock();
  const url = 'https://bridge.example.org';
  const { ended } = inTerminal({ clock, terminal, url, release: { version: '0.1.0' } });
  const request = { requestId: 'r', toolCall: { name: 'delete', arguments: { path: 'a' } } };
  for (let call = 0; call < 2; call += 1) {
    ended?.({ request, outcome: 'asked', durationMs: 3 });
    clock.advance(1_000);
  }
  const asked = 'asked         delete  a  3 ms\n';
  expect(shown).toBe(`${asked}next          Answer it in the panel: ${url}\n${asked}`);
});

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
