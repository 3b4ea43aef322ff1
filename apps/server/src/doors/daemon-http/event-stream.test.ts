import { connect } from 'node:net';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { connectDaemon, initDaemon, openStream, requestOf } from '../../../test/daemon.ts';
import { paired } from '../../../test/paired.ts';
import { createPanel } from '../../../test/panel.ts';
import { signUpOwner, startServer } from '../../../test/server.ts';

const { bare } = daemonMounts;

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

  it('begins with a comment and sends one every 15 s', async () => {
    const clock = createFakeClock(systemClock.now());
    const server = await startServer({ clock });
    const panel = createPanel(server, await signUpOwner(server));
    const { stream } = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
    clock.advance(45_000);
    await expect.poll(() => stream.text()).toBe(': open\n\n: ping\n\n: ping\n\n: ping\n\n');
  });

  it('of a reader that reads nothing is closed, and the call comes back to it', async () => {
    const { server, token, panel } = await paired();
    const key = await initDaemon(server, token);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => {});
    socket.write(`GET ${bare}/events HTTP/1.1\r\nHost: localhost\r\n${gatewayKeyHeader}: ${key}\r\n\r\n`);
    await new Promise((resolve) => socket.once('readable', resolve));
    await expect.poll(async () => (await panel.gateway.status.query()).state).toBe('online');
    const text = 'x'.repeat(500_000);
    const runs: Promise<unknown>[] = [];
    // The kernel takes some megabytes before anything is left unread here.
    while ((await panel.gateway.status.query()).state === 'online' && runs.length < 60) {
      runs.push(panel.calls.run.mutate({ name: 'read_file', arguments: { text } }).catch(() => null));
      await panel.gateway.status.query();
    }
    expect((await panel.gateway.status.query()).state).toBe('grace');
    socket.resume();
    await closed;
    await panel.gateway.disconnect.mutate();
    await Promise.all(runs);
  });

  it('accepts frames that are larger than the unread limit', async () => {
    const { server, token, panel } = await paired();
    const daemon = await connectDaemon(server, token);
    const text = 'x'.repeat(3 * 1024 * 1024);
    const run = panel.calls.run.mutate({ name: 'read_file', arguments: { text } });
    const { requestId, toolCall } = requestOf(await daemon.stream.next());
    expect(toolCall.arguments).toEqual({ text });
    await daemon.respond(requestId, { result: { content: [] } });
    expect(await run).toMatchObject({ state: 'succeeded' });
    expect((await panel.gateway.status.query()).state).toBe('online');
  });

  it('that is newer wins, and the end of the older one changes nothing', async () => {
    const { server, token, panel } = await paired();
    const first = await connectDaemon(server, token);
    const second = await openStream(`${server.url}${bare}/events`, { [gatewayKeyHeader]: first.sessionKey });
    await first.stream.ended;
    const run = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
    const { requestId } = requestOf(await second.next());
    await first.respond(requestId, { result: { content: [] } });
    expect(await run).toMatchObject({ state: 'succeeded' });
  });
});
