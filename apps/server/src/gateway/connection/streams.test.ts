import { expect, it } from 'vitest';
import { createStreams } from './streams.ts';

it('a server that the others may take for dead writes on no stream', () => {
  let isLive = true;
  const written: unknown[] = [];
  const streams = createStreams(() => isLive);
  const write = (event: unknown) => written.push(event) > 0;
  streams.register('m1', { write, ready: () => Promise.resolve() });
  const ping = { type: 'tool-call-cancel', payload: { requestId: 'r1' } } as const;
  expect([streams.write('m1', ping), streams.write('m2', ping)]).toEqual([true, false]);
  isLive = false;
  expect([streams.write('m1', ping), written]).toEqual([false, [ping]]);
});
