import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { TerminalAnswer } from '../permission/index.ts';
import { askWithProgress } from './ask.ts';

const question: ConfirmationPayload = {
  toolGroup: 'shell',
  resource: 'ls',
  description: 'Run ls',
  options: [],
};

it('renews the deadline of the asking call every 10 s, until the answer', async () => {
  const clock = createFakeClock();
  const answer = Promise.withResolvers<TerminalAnswer>();
  const ask = askWithProgress(clock, () => answer.promise);
  const reported: ProgressBody[] = [];
  const asked = ask(question, {
    signal: new AbortController().signal,
    progress: (update) => void reported.push(update),
  });
  clock.advance(25_000);
  answer.resolve({ decision: 'allowOnce' });
  expect(await asked).toEqual({ decision: 'allowOnce' });
  clock.advance(60_000);
  expect(reported).toEqual(
    Array(3).fill({ message: 'Waiting for an answer in the terminal of the machine' }),
  );
});
