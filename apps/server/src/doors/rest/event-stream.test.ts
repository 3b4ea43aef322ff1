import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createEventStream, type RestEvent } from './event-stream.ts';

const printed = (length: number): RestEvent => ({
  event: 'progress',
  data: { type: 'progress', requestId: 'r1', output: 'x'.repeat(length) },
});

it('writes frames with a name and an id of their own', () => {
  const stream = createEventStream();
  stream.write(printed(1));
  stream.ping();
  expect(String(stream.readable.read())).toMatch(
    /^id: [\w-]{12}\nevent: progress\ndata: \{"type":"progress","requestId":"r1","output":"x"\}\n\n: ping\n\n$/,
  );
});

it('cuts off a reader that leaves more than 1 MiB unread, and takes nothing more', async () => {
  const stream = createEventStream();
  stream.write(printed(1024 * 1024 - 200));
  expect(stream.readable.destroyed).toBe(false);
  const closed = once(stream.readable, 'close');
  stream.write(printed(200));
  await closed;
  const unread = stream.readable.readableLength;
  stream.write(printed(200));
  expect(stream.readable.readableLength).toBe(unread);
});
