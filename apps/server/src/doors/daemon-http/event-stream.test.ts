import { createFakeClock, systemClock } from '@drawbridge/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectDaemon, requestOf } from '../../../test/daemon.ts';
import { paired } from '../../../test/paired.ts';
import { createPanel } from '../../../test/panel.ts';
import { signUpOwner, startServer } from '../../../test/server.ts';

describe('the stream', () => {
  it('frames any content of a call as one line', async () => {
    const { server, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\n\nevent: x\ndata: {}',
        '\r',
        '\r\n',
        '\u2028\u2029',
        '\0',
        'id: 9\n',
        ': ping\n\n',
        '\ud800',
        'x'.repeat(100_000),
      ),
    );
    await fc.assert(
      fc.asyncProperty(nasty, async (text) => {
        const run = panel.calls.run.mutate({ name: 'read_file', arguments: { text } });
        const { requestId, toolCall } = requestOf(await daemon.stream.next());
        expect(toolCall.arguments).toEqual(JSON.parse(JSON.stringify({ text })));
        await daemon.respond(requestId, { error: 'done' });
        await run;
      }),
      { numRuns: 40 },
    );
    for (const line of daemon.stream.text().split('\n'))
      expect(line).toMatch(/^(: (open|ping)|id: \d+|data: \{.*\}|)$/s);
  });

  it('has the headers of a stream, and of a page only the one that fits', async () => {
    const { server, token } = await paired();
    const { stream } = await connectDaemon(server, token);
    expect(stream.headers).toEqual({
      'cache-control': 'no-cache, no-transform',
      connection: 'keep-alive',
      'content-type': 'text/event-stream; charset=utf-8',
      date: expect.any(String),
      'transfer-encoding': 'chunked',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
  });

  it('begins with a comment and sends one every 15 s', async () => {
    const clock = createFakeClock(systemClock.now());
    const server = await startServer({ clock });
    const panel = createPanel(server, await signUpOwner(server));
    const { stream } = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
    clock.advance(45_000);
    await expect.poll(() => stream.text()).toBe(': open\n\n: ping\n\n: ping\n\n: ping\n\n');
  });
});
