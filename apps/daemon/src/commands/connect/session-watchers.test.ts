import { stripVTControlCharacters } from 'node:util';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createTerminalOutput } from '../../terminal/terminal-output.ts';
import { inStatus, inTerminal } from './session-watchers.ts';

/** What a server may say as a machine connects. */
const silent = { refused: undefined, warnings: [], offered: undefined, machine: undefined };

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

it('shows an outage as one line for each reason, and one that counts', () => {
  const shown: string[] = [];
  const clock = createFakeClock();
  const write = (text: string) => void shown.push(stripVTControlCharacters(text));
  const terminal = createTerminalOutput({ write, colours: false, columns: () => 80 });
  const { link } = inTerminal({ clock, terminal, url: 'https://a.example', release: { version: '0.1.0' } });
  const retry = (sentence: string) => link?.({ type: 'reconnecting', inMs: 1, sentence });
  const linesOf = (texts: readonly string[]) =>
    texts.flatMap((text) => text.replaceAll('\r', '').split('\n')).filter((line) => line !== '');
  retry('the server is restarting');
  for (let attempt = 0; attempt < 3; attempt += 1) {
    retry('connection refused');
    clock.advance(1_000);
  }
  const row = (text: string) => `reconnecting  ${text}`;
  expect(linesOf(shown)).toEqual([
    ...['the server is restarting', 'connection refused', 'for 1 s', 'for 2 s', 'for 3 s'].map(row),
  ]);
  shown.length = 0;
  link?.({ type: 'connected', way: 'socket', ...silent });
  clock.advance(2_000);
  expect([linesOf(shown), clock.waiting()]).toEqual([['connected     https://a.example'], 0]);
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
  link?.({ type: 'connected', way: 'socket', ...silent });
  away();
  expect(new Set(links).size).toBe(2);
});
