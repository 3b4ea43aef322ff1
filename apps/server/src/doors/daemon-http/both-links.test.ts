import { daemonMounts, gatewayEpochHeader, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { describe, expect, it } from 'vitest';
import { linkKinds, openLink, type TestLink } from '../../../test/links.ts';
import { announcement, paired } from '../../../test/paired.ts';
import { send } from '../../../test/server.ts';

const daemon = { version: '1.0.0', protocol: 1, features: ['resume', 'cancel', 'probe'], instance: 'i1' };
const probe = { type: 'probe', payload: { id: 1 } };
const told = (reason: string) => ({ type: 'gateway-disconnect', payload: { reason } });
const result = { result: { content: [{ type: 'text', text: 'done' }] } };

const requestOf = async (link: TestLink) => {
  const event = await link.next();
  if (event.type !== 'filesystem-request') throw new Error(`No tool call: ${event.type}`);
  return event.payload;
};

describe.each(linkKinds)('over the %s', (kind) => {
  const setUp = async () => {
    const { server, token, panel } = await paired();
    const init = async (key: string) => {
      const { json } = await send(`${server.url}${daemonMounts.bare}/init`, {
        method: 'POST',
        headers: { [gatewayKeyHeader]: key },
        body: { ...announcement, daemon },
      });
      // What an init gives, which the gateway's own tests pin.
      return json as { sessionKey: string; epoch: number };
    };
    const { sessionKey, epoch } = await init(token);
    const headers = { [gatewayKeyHeader]: sessionKey, [gatewayEpochHeader]: String(epoch) };
    const open = (by = kind, more = {}) =>
      openLink(server.url, { kind: by, headers: { ...headers, ...more } });
    const link = await open();
    expect(await link.next()).toEqual(probe);
    const read = (args = {}) => panel.calls.run.mutate({ name: 'read_file', arguments: args });
    const state = async () => (await panel.gateway.status.query()).state;
    return { panel, link, open, init: () => init(sessionKey), read, state };
  };

  it('a result counts once, again as a duplicate, and another one is refused', async () => {
    const { link, read } = await setUp();
    const running = read();
    const path = `/response/${(await requestOf(link)).requestId}`;
    expect(await link.post(path, result)).toEqual([200, { ok: true }]);
    expect(await running).toMatchObject({ state: 'succeeded' });
    expect(await link.post(path, result)).toEqual([200, { ok: true, duplicate: true }]);
    expect((await link.post(path, { error: 'another' }))[0]).toBe(409);
  });

  it('several results come together, each with its own answer', async () => {
    const { link, read } = await setUp();
    const running = [read(), read()];
    const ids = [await requestOf(link), await requestOf(link)].map(({ requestId }) => requestId);
    const responses = [...ids, 'unknown'].map((requestId) => ({ requestId, ...result }));
    expect(await link.post('/responses', { responses })).toMatchObject([
      200,
      { responses: [...ids.map((requestId) => ({ requestId, ok: true })), { status: 404 }] },
    ]);
    for (const call of await Promise.all(running)) expect(call).toMatchObject({ state: 'succeeded' });
  });

  it('progress is taken, and a call that its user cancels is told', async () => {
    const { link, panel, read } = await setUp();
    const running = read();
    const { requestId } = await requestOf(link);
    const progress = { output: 'a line\n', outputOffset: 0 };
    expect(await link.post(`/progress/${requestId}`, progress)).toEqual([200, { ok: true, outputEnd: 7 }]);
    await panel.calls.cancel.mutate({ requestId });
    expect(await link.next()).toMatchObject({ type: 'tool-call-cancel', payload: { requestId } });
    expect(await running).toMatchObject({ state: 'cancelled' });
  });

  it('a call larger than what may be unread arrives', async () => {
    const { link, read, state } = await setUp();
    const text = 'x'.repeat(3 * 1024 * 1024);
    const running = read({ text });
    const { requestId, toolCall } = await requestOf(link);
    expect(toolCall.arguments).toEqual({ text });
    await link.post(`/response/${requestId}`, result);
    expect([(await running).state, await state()]).toEqual(['succeeded', 'online']);
  });

  it('a reader that reads nothing is closed, and the call comes back to it', async () => {
    const { link, open, read, state } = await setUp();
    link.pause();
    const runs: Promise<unknown>[] = [];
    // The kernel takes some megabytes before anything is left unread here.
    while ((await state()) === 'online' && runs.length < 60)
      runs.push(read({ text: 'x'.repeat(500_000) }).catch(() => null));
    expect(await state()).toBe('grace');
    link.resume();
    await link.ended;
    const next = await open();
    expect(await next.next()).toEqual(probe);
    for (const _run of runs) await next.post(`/response/${(await requestOf(next)).requestId}`, result);
    await Promise.all(runs);
  });

  it.each(linkKinds)('gives way to a newer one over the %s, which has the calls', async (newer) => {
    const { link, open, read, state } = await setUp();
    const next = await open(newer);
    await link.ended;
    expect([await next.next(), await state()]).toEqual([probe, 'online']);
    const running = read();
    expect((await next.post(`/response/${(await requestOf(next)).requestId}`, result))[0]).toBe(200);
    expect(await running).toMatchObject({ state: 'succeeded' });
  });

  it('of an older epoch is told that it was replaced, and ends', async () => {
    const { open, init } = await setUp();
    const { epoch } = await init();
    const older = await open();
    expect(await older.next()).toEqual(told('replaced'));
    await older.ended;
    const newest = await open(kind, { [gatewayEpochHeader]: String(epoch) });
    expect(await newest.next()).toEqual(probe);
  });

  it('ends when its pairing ends, and its key opens no other', async () => {
    const { panel, link, open } = await setUp();
    await panel.gateway.disconnect.mutate();
    expect(await link.next()).toEqual(told('user'));
    await link.ended;
    if (kind === 'socket') await expect(open()).rejects.toThrow('403');
  });
});
