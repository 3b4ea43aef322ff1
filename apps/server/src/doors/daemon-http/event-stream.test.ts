import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts';
import { createFakeClock, endOfTurn, systemClock } from '@drawbridge/kit';
import fc from 'fast-check';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { connectDaemon, initDaemon, openStream, requestOf } from '../../../test/daemon.ts';
import { paired } from '../../../test/paired.ts';
import { createPanel } from '../../../test/panel.ts';
import { signUpOwner, startServer } from '../../../test/server.ts';
import { createEventStream } from './event-stream.ts';

const { bare } = daemonMounts;

describe('the stream', () => {
  it('frames whatever a call holds as one line', async () => {
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

  it('begins with a comment and says every 15 s that it lives', async () => {
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

  it('takes frames that are larger than what may be left unread', async () => {
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

/** A stream on a real socket, what was written on it, and all that its reader gets. */
const onSocket = async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on a port has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const heard = new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text)).on('error', reject);
    });
  });
  // The two of `request`, as Node declares them.
  const [, raw] = (await asked) as [unknown, ServerResponse];
  const writes: string[] = [];
  const write = raw.write.bind(raw);
  raw.write = (text: string) => {
    writes.push(text);
    return write(text);
  };
  // As much of a reply as a stream touches.
  const reply = { raw, hijack: () => {}, getHeaders: () => ({}) } as unknown as FastifyReply;
  const stream = createEventStream(reply, createFakeClock(0));
  const end = () => {
    stream.close();
    server.close();
    return heard;
  };
  return { stream, writes, end };
};

const probe = (id: number) => ({ type: 'probe', payload: { id } }) as const;
const frame = (id: number) => `id: ${id}\ndata: {"type":"probe","payload":{"id":${id}}}\n\n`;

describe('the frames of a turn', () => {
  it('are one write, in their order', async () => {
    const { stream, writes, end } = await onSocket();
    for (const id of [1, 2, 3]) stream.send(id, probe(id));
    await endOfTurn();
    stream.send(4, probe(4));
    await endOfTurn();
    expect(writes).toEqual([`: open\n\n${frame(1)}${frame(2)}${frame(3)}`, frame(4)]);
    await end();
  });

  it('go out though the stream is closed in the same turn', async () => {
    const { stream, end } = await onSocket();
    stream.send(1, probe(1));
    expect(await end()).toBe(`: open\n\n${frame(1)}`);
  });

  it('that are more than 16 KiB do not wait', async () => {
    const { stream, writes, end } = await onSocket();
    const reason = 'x'.repeat(16 * 1024);
    stream.send(1, { type: 'tool-call-cancel', payload: { requestId: 'a', reason: 'user' } });
    expect(writes).toEqual([]);
    stream.send(2, {
      type: 'filesystem-request',
      payload: { requestId: 'b', toolCall: { name: 'read_file', arguments: { reason } } },
    });
    expect(writes).toHaveLength(1);
    await end();
  });
});
