import { describe, expect, it } from 'vitest';
import { json, page, sessionKey } from '../../../test/support/gateway-server.ts';
import { request, startLink, text } from '../../../test/support/link-fixture.ts';

describe('the results of one turn', () => {
  const announced = json(200, { ok: true, sessionKey, epoch: 1, features: ['responses', 'more'] });
  const alone = (...ids: string[]) => ids.map((id) => `/response/${id}`);
  /** Calls r1 to r4, whose results are there at the same time, and the posts of them. */
  const four = async (setUp: (server: Awaited<ReturnType<typeof startLink>>['server']) => void) => {
    let release = () => {};
    const ready = new Promise<void>((resolve) => (release = resolve));
    let waiting = 0;
    const all = await startLink(async ({ requestId }) => {
      waiting += 1;
      await ready;
      return text(`€ ${requestId}`);
    });
    const { server, connected, until } = all;
    setUp(server);
    await connected();
    for (const id of ['r1', 'r2', 'r3', 'r4']) server.send(request(id));
    await until(() => expect(waiting).toBe(4));
    release();
    const posts = () => server.seen.filter(({ path }) => path.startsWith('/response'));
    const paths = () => posts().map(({ path }) => path);
    return { ...all, posts, paths };
  };

  it('go in one request where the server has said that it takes several, with key and epoch', async () => {
    const { outbox, until, posts } = await four((server) => server.answer('init', announced));
    await until(() => expect(posts()).toHaveLength(2));
    await outbox.empty();
    const result = (requestId: string) => ({ result: text(`€ ${requestId}`) });
    const said = { method: 'POST', key: sessionKey, epoch: '1' };
    expect(posts()).toEqual([
      { ...said, path: '/response/r1', body: result('r1') },
      {
        ...said,
        path: '/responses',
        body: { responses: ['r2', 'r3', 'r4'].map((requestId) => ({ requestId, ...result(requestId) })) },
      },
    ]);
  });

  it.each([
    ['says nothing of it', json(200, { ok: true, sessionKey, epoch: 1 })],
    ['says other things', json(200, { ok: true, sessionKey, epoch: 1, features: ['more'] })],
  ])('go one by one to a server that %s', async (_what, answer) => {
    const { outbox, until, paths } = await four((server) => server.answer('init', answer));
    await until(() => expect(paths()).toHaveLength(4));
    await outbox.empty();
    expect(paths().toSorted()).toEqual(alone('r1', 'r2', 'r3', 'r4'));
  });

  it.each([
    ['404', json(404, { code: 'NOT_FOUND', message: 'Not found' })],
    ['a page with 404', page(404)],
  ])('go one by one, and so do later ones, where the route has gone (%s)', async (_what, answer) => {
    const { server, outbox, until, paths } = await four((one) => {
      one.answer('init', announced);
      one.answer('responses', answer);
    });
    await until(() => expect(paths()).toHaveLength(5));
    await outbox.empty();
    expect(paths().filter((path) => path === '/responses')).toHaveLength(1);
    for (const id of ['r5', 'r6', 'r7']) server.send(request(id));
    await until(() => expect(paths()).toHaveLength(8));
    expect(paths().slice(5).toSorted()).toEqual(alone('r5', 'r6', 'r7'));
  });

  const verdict = (requestId: string) => ({ requestId, ok: true });
  it.each([
    ['a page', page(200)],
    ['one too few', json(200, { responses: [verdict('r2'), verdict('r3')] })],
    ['another order', json(200, { responses: ['r3', 'r2', 'r4'].map(verdict) })],
    ['no verdict', json(200, { responses: [{ requestId: 'r2' }, verdict('r3'), verdict('r4')] })],
    ['a broken connection', (_seen: unknown, response: { destroy(): void }) => void response.destroy()],
  ])('come again one by one where the answer is %s', async (_what, answer) => {
    const { clock, outbox, until, paths } = await four((server) => {
      server.answer('init', announced);
      server.answer('responses', answer);
    });
    await until(() => expect(paths()).toHaveLength(2));
    await until(() => expect(clock.waiting()).toBe(5));
    clock.advance(1_000);
    await until(() => expect(paths()).toHaveLength(5));
    await outbox.empty();
    expect(paths().slice(2).toSorted()).toEqual(alone('r2', 'r3', 'r4'));
  });

  it('that are refused are refused each for itself', async () => {
    const refusal = {
      code: 'CONFLICTING_RESULT',
      message: 'This call has another answer already',
      status: 409,
    };
    const { clock, outbox, until, paths, refusals } = await four((server) => {
      server.answer('init', announced);
      server.answer(
        'responses',
        json(200, {
          responses: [
            { requestId: 'r2', ok: true, duplicate: true },
            { requestId: 'r3', ...refusal },
            { requestId: 'r4', code: 'STORE_UNAVAILABLE', message: 'Later', fix: 'Free space.', status: 503 },
          ],
        }),
      );
    });
    await until(() => expect(refusals).toHaveLength(3));
    expect(refusals.toSorted()).toEqual(
      [null, null, 'This call has another answer already (HTTP 409)'].toSorted(),
    );
    clock.advance(1_000);
    await outbox.empty();
    expect(paths().slice(2)).toEqual(alone('r4'));
  });
});
