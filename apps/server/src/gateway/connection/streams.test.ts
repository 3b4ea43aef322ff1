import { expect, it } from 'vitest';
import { createStreams } from './streams.ts';

it('a server that the others may take for dead writes on no stream', () => {
  let isLive = true;
  const written: unknown[] = [];
  const streams = createStreams(() => isLive);
  const write = (event: unknown) => written.push(event) > 0;
  streams.register('m1', { write, ready: () => Promise.resolve() });
  const cancel = { type: 'tool-call-cancel', payload: { requestId: 'r1', reason: 'user' } } as const;
  expect([streams.write('m1', cancel), streams.write('m2', cancel)]).toEqual([true, false]);
  isLive = false;
  expect([streams.write('m1', cancel), written]).toEqual([false, [cancel]]);
});
