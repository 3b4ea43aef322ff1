import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { createRunning } from './running.ts';
import { createTerminalOutput } from './terminal-output.ts';

const call = (requestId: string, command: string) => ({
  requestId,
  toolCall: { name: 'shell_execute', arguments: { command } },
});

const start = (columns = 80) => {
  const clock = createFakeClock();
  const writes: string[] = [];
  const terminal = createTerminalOutput({
    write: (text) => void writes.push(text),
    colours: false,
    columns: () => columns,
  });
  const taken = () => writes.splice(0).join('');
  return { clock, terminal, taken, running: createRunning({ clock, terminal }) };
};

it('shows a call that takes longer in a line of its own, drawn anew each second, and takes it away', () => {
  const { clock, taken, running } = start();
  running.began(call('1', 'npm test'));
  expect(taken()).toBe('');
  clock.advance(1_000);
  expect(taken()).toBe('running       shell_execute  npm test  1 s\n');
  clock.advance(61_000);
  expect(taken().endsWith('\r\u001b[1A\u001b[Jrunning       shell_execute  npm test  1 min 2 s\n')).toBe(
    true,
  );
  running.ended('1');
  expect(taken()).toBe('\r\u001b[1A\u001b[J');
  clock.advance(10_000);
  expect([taken(), clock.waiting()]).toEqual(['', 0]);
});

it('writes other lines above it, and none of it while a question is open', () => {
  const { clock, terminal, taken, running } = start();
  running.began(call('1', 'npm test'));
  clock.advance(1_000);
  taken();
  terminal.line('ok', 'read_file');
  expect(taken()).toBe(
    '\r\u001b[1A\u001b[Jok            read_file\nrunning       shell_execute  npm test  1 s\n',
  );
  const release = terminal.hold();
  expect(taken()).toBe('\r\u001b[1A\u001b[J');
  clock.advance(2_000);
  terminal.line('ok', 'list_files');
  expect(taken()).toBe('');
  release();
  expect(taken()).toBe('ok            list_files\nrunning       shell_execute  npm test  3 s\n');
});

it.each([
  ['control characters', 'a\u001b[2J\nb', 'running       shell_execute  a\\x1b[2J\\nb  1 s\n'],
  ['a key', `gw_${'a'.repeat(32)}`, 'running       shell_execute  gw_…  1 s\n'],
])('LG-06 shows %s as what they are', (_name, command, line) => {
  const { clock, taken, running } = start();
  running.began(call('1', command));
  clock.advance(1_000);
  expect(taken()).toBe(line);
});

it('never takes two rows for one line, and five at most', () => {
  const { clock, taken, running } = start(40);
  for (let at = 1; at <= 7; at += 1) running.began(call(String(at), '漢'.repeat(30)));
  clock.advance(1_000);
  const lines = taken().trimEnd().split('\n');
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(line.replace(/[^\x20-\x7e]/g, 'xx').length).toBeLessThan(40);
  expect(lines.at(-1)).toBe('              and 2 more');
});
