import type { Call } from '@drawbridge/contracts/calls';
import { expect, it, vi } from 'vitest';
import { requestOf } from '../../../test/daemon.ts';
import { answerNext, codeOf, newRestClient, online } from '../../../test/rest.ts';

const named = (key: string) => ({ 'idempotency-key': key });

it('MC-15 an equal call with the same key runs once, also if its first client has disconnected', async () => {
  const { server, daemon, script } = await online();
  const leaving = new AbortController();
  const first = fetch(`${server.url}/api/v1/calls`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${script.token}`,
      'content-type': 'application/json',
      ...named('k1'),
    },
    body: JSON.stringify({ name: 'read_file', arguments: { filePath: 'a.txt' } }),
    signal: leaving.signal,
  }).catch(() => null);
  const { requestId } = requestOf(await daemon.stream.next());
  leaving.abort();
  await first;
  const repeat = script.run('read_file', { filePath: 'a.txt' }, named('k1'));
  await daemon.respond(requestId, { result: { content: [{ type: 'text', text: 'once' }] } });
  const got = await repeat;
  expect(got).toMatchObject({ status: 200, json: { requestId, state: 'succeeded' } });
  expect(got.headers['idempotent-replayed']).toBe('true');
});

it('MC-15 a key belongs to one call of one token', async () => {
  const { server, cookie, daemon, script } = await online();
  const running = script.run('read_file', { filePath: 'a.txt' }, named('k1'));
  await answerNext(daemon);
  const first = await running;
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(codeOf(await script.run('read_file', { filePath: 'b.txt' }, named('k1')))).toEqual([
    422,
    'IDEMPOTENCY_KEY_REUSED',
  ]);
  const other = await newRestClient(server, cookie, { name: 'other' });
  const own = other.run('read_file', { filePath: 'a.txt' }, named('k1'));
  await answerNext(daemon);
  expect((await own).json).not.toMatchObject({ requestId: (first.json as Call).requestId });
});

it('MC-14 a token that is revoked while its key is looked up makes no call, and the key is free', async () => {
  const { server, panel, script } = await online();
  const { idempotency } = server.app.gateway;
  const { claim } = idempotency;
  const settled: boolean[] = [];
  let isClaimed = false;
  let resume = () => {};
  const revoked = new Promise<void>((resolve) => (resume = resolve));
  vi.spyOn(idempotency, 'claim').mockImplementation(async (...args) => {
    const claimed = await claim(...args);
    isClaimed = true;
    await revoked;
    if (claimed.kind === 'repeat') return claimed;
    const settle = async (opened: boolean) => {
      await claimed.settle(opened);
      settled.push(opened);
    };
    return { ...claimed, settle };
  });
  const running = script.run('read_file', {}, named('k1')).catch(() => 'cut');
  await expect.poll(() => isClaimed).toBe(true);
  const [token] = await panel.tokens.list.query();
  await panel.tokens.revoke.mutate({ id: token?.id ?? '' });
  resume();
  expect(await running).toBe('cut');
  await expect.poll(() => settled).toEqual([false]);
  expect((await panel.calls.list.query({})).calls).toEqual([]);
});

it('MC-15 a key of a call that was refused is free again', async () => {
  const { daemon, script } = await online();
  const large = { filePath: 'x'.repeat(4 * 1024 * 1024) };
  expect(codeOf(await script.run('read_file', large, named('k1')))).toEqual([413, 'TOO_LARGE']);
  const running = script.run('read_file', { filePath: 'a.txt' }, named('k1'));
  await answerNext(daemon);
  expect(await running).toMatchObject({ status: 200, json: { state: 'succeeded' } });
});

it('a key has 1 to 200 printable characters', async () => {
  const { script } = await online();
  for (const key of ['', 'a b', 'x'.repeat(201), 'schl\u00fcssel'])
    expect(codeOf(await script.run('read_file', {}, named(key)))).toEqual([400, 'BAD_REQUEST']);
});
