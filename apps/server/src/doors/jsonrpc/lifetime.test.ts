import { systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { isHelper } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';
import { answerNext, online, text } from '../../../test/rest.ts';
import { newToken, openPerson, openRpc, type RpcFrame } from '../../../test/rpc.ts';

/** The numbered events of a request, as the session stores them. */
const storedOf = (frames: readonly RpcFrame[], id: string | number) =>
  frames.flatMap((frame) =>
    frame.id === id && typeof frame.seq === 'number' ? [[frame.seq, frame.event, frame.data?.text]] : [],
  );

describe('a client that comes back', () => {
  it('gets each event once, and a message with a key runs once', async () => {
    const gate = Promise.withResolvers<void>();
    const { server, cookie, model } = await withAgent((request) =>
      isHelper(request) ? { text: 'Title' } : { text: 'The whole answer.', until: gate.promise },
    );
    const [cut, watching] = await Promise.all([openPerson(server, cookie), openPerson(server, cookie)]);
    const params = { message: 'go', sessionId: 'ws:one', idempotencyKey: 'k' };
    cut.send({ id: 's', method: 'agent.send', params });
    await cut.until(({ event }) => event === 'content');
    watching.send({ id: 'w', method: 'sessions.subscribe', params: { sessionId: 'ws:one', afterSeq: 0 } });
    await watching.until(({ event }) => event === 'caught_up');
    cut.socket.terminate();

    const back = await openPerson(server, cookie);
    back.send({ id: 'again', method: 'agent.send', params });
    await back.until(({ id, data }) => id === 'again' && data?.state === 'start');
    gate.resolve();
    expect((await back.answerOf('again')).result).toMatchObject({ content: 'The whole answer.' });
    expect(model.requests.filter((request) => !isHelper(request))).toHaveLength(1);
    const reused = await back.call('agent.send', { ...params, message: 'other' });
    expect(reused.error?.code).toBe(18);
    expect((await back.call('agent.send', params)).result).toMatchObject({ replayed: true });

    await watching.until(({ id, data }) => id === 'w' && data?.state === 'complete');
    back.send({ id: 'r', method: 'sessions.subscribe', params: { sessionId: 'ws:one', afterSeq: 0 } });
    expect((await back.answerOf('r')).result).toMatchObject({ sessionId: 'ws:one', reset: false });
    await back.until(({ id, event }) => id === 'r' && event === 'caught_up');
    const replayed = storedOf(back.frames, 'r');
    expect(replayed.at(0)).toEqual([expect.any(Number), 'run_state', undefined]);
    expect(replayed.filter(([, event]) => event === 'content')).toEqual([
      [expect.any(Number), 'content', 'The whole answer.'],
    ]);
    const seqs = replayed.map(([seq]) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => Number(one) - Number(other)));
    const later = Number(seqs.at(-1));
    back.send({ id: 'l', method: 'sessions.subscribe', params: { sessionId: 'ws:one', afterSeq: later } });
    await back.until(({ id, event }) => id === 'l' && event === 'caught_up');
    expect(storedOf(back.frames, 'l')).toEqual([]);
  });
});

describe('the end of the server', () => {
  it('is told, refuses new work, and closes with 1012, also before a reader that is paused', async () => {
    const { server, cookie } = await online();
    const { token } = await newToken(server, cookie);
    const [rpc, paused] = await Promise.all([openRpc(server, token), openRpc(server, token)]);
    paused.socket.pause();
    rpc.send({ id: 'open', method: 'tools.execute', params: { tool: 'read_file' } });
    await rpc.until(({ event }) => event === 'tool_start');
    const started = systemClock.now();
    const closing = server.app.close();
    expect(await rpc.until(({ event }) => event === 'shutdown')).toMatchObject({
      id: null,
      data: { retryAfterMs: expect.any(Number) },
    });
    rpc.send({ id: 'late', method: 'tools.list' });
    expect((await rpc.answerOf('late')).error?.code).toBe(16);
    expect((await rpc.closed).code).toBe(1012);
    const last = rpc.frames.filter(({ id }) => id === 'open').at(-1);
    expect(last?.result ?? last?.error).toBeDefined();
    await closing;
    expect(systemClock.now() - started).toBeLessThan(8_000);
  });
});

describe('WS-09 a reader that does not read', () => {
  it('is closed, and another socket goes on', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const { server, cookie, daemon } = await online({ TOKEN_PER_MINUTE: '100000' }, clock);
    const { token } = await newToken(server, cookie);
    const [slow, busy] = await Promise.all([openRpc(server, token), openRpc(server, token)]);
    expect((await busy.call('system.info')).result).toMatchObject({ connections: 2 });
    const large = text('x'.repeat(512 * 1024));
    slow.socket.pause();
    const opened = Array.from({ length: 60 }, (_, id) => {
      slow.send({ id, method: 'tools.execute', params: { tool: 'read_file', args: { id } } });
      return answerNext(daemon, large);
    });
    await Promise.all(opened);
    // What a reader may be slow for is over sooner: the outbox's own test has the number.
    const connections = async () => {
      aheadMs += 500;
      return (await busy.call('system.info')).result?.connections;
    };
    await expect.poll(connections, { timeout: 35_000 }).toBe(1);
    slow.socket.resume();
    expect([1006, 1013]).toContain((await slow.closed).code);
  }, 60_000);
});
