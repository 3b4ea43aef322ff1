import type { ConfirmationPayload, ProgressBody, ToolResult } from '@drawbridge/contracts';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { TerminalAnswer } from '../permission/index.ts';
import { createWaiting } from './waiting.ts';

const question: ConfirmationPayload = {
  toolGroup: 'shell',
  resource: 'ls',
  description: 'Run ls',
  options: [],
};
const done: ToolResult = { content: [] };

it('renews the deadline of the asking call every 10 s, until the answer', async () => {
  const clock = createFakeClock();
  const waiting = createWaiting(clock);
  let answer: (given: TerminalAnswer) => void = () => {};
  const ask = waiting.askInTerminal(() => new Promise((resolve) => (answer = resolve)));
  const dispatch = waiting.dispatch(async (_request, { signal }) => {
    await ask(question, signal);
    return done;
  });
  const told: ProgressBody[] = [];
  const request = { requestId: 'r1', toolCall: { name: 'shell_execute', arguments: {} } };
  const result = dispatch(request, {
    signal: new AbortController().signal,
    progress: (update) => void told.push(update),
    starting: async () => {},
    large: async () => {},
  });
  clock.advance(25_000);
  answer({ decision: 'allowOnce' });
  expect(await result).toEqual(done);
  clock.advance(60_000);
  expect(told).toEqual(Array(3).fill({ message: 'Waiting for an answer in the terminal of the machine' }));
});
