import { request as httpRequest, type ClientRequest } from 'node:http';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { errorTable } from '@drawbridge/contracts/errors';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { connectDaemon } from '../../../test/daemon.ts';
import { forbidden, paired, seen } from '../../../test/paired.ts';
import { startServer } from '../../../test/server.ts';
import { largeBytes } from './large-result-admission.ts';

const { bare } = daemonMounts;
const tooLarge = { code: errorTable.tooLarge.code, message: errorTable.tooLarge.message };
const body = (length: number) =>
  JSON.stringify({ result: { content: [{ type: 'text', text: 'x'.repeat(length) }] } });

/** A post whose body has begun and does not go on. */
const beginPost = (url: string, key: string): ClientRequest => {
  const request = httpRequest(url, {
    method: 'POST',
    agent: false,
    headers: {
      'content-type': 'application/json',
      'content-length': largeBytes * 4,
      [gatewayKeyHeader]: key,
    },
  });
  request.on('error', () => {});
  request.write('{"result":');
  onTestFinished(() => void request.destroy());
  return request;
};

const setUp = async () => {
  const { server, panel, token } = await paired();
  const daemon = await connectDaemon(server, token);
  /** A call that the machine has, by its id. */
  const callOf = async () => {
    const ended = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
    const { event } = await daemon.stream.next();
    if (event.type !== 'filesystem-request') throw new Error(`${event.type} came`);
    return { requestId: event.payload.requestId, ended };
  };
  const path = (requestId: string) => `${bare}/response/${requestId}`;
  const post = (requestId: string, length: number) =>
    server.send(path(requestId), {
      method: 'POST',
      headers: { 'content-type': 'application/json', [gatewayKeyHeader]: daemon.sessionKey },
      body: body(length),
    });
  const begin = (requestId: string) => beginPost(`${server.url}${path(requestId)}`, daemon.sessionKey);
  return { server, daemon, callOf, post, begin, path };
};

it('a small result passes a stalled large one, a large one waits for its end', async () => {
  const { callOf, post, begin } = await setUp();
  const blocked = begin('unknown');
  await new Promise((resolve) => blocked.once('finish', resolve).once('socket', resolve));
  const [small, large] = [await callOf(), await callOf()];
  const waiting = post(large.requestId, largeBytes * 2);
  expect(seen(await post(small.requestId, 10))).toEqual([200, { ok: true }]);
  blocked.destroy();
  expect(seen(await waiting)).toEqual([200, { ok: true }]);
  expect((await large.ended).result?.content).toMatchObject([{ text: 'x'.repeat(largeBytes * 2) }]);
});

it.each([
  ['without a key that holds', `sess_${'x'.repeat(32)}`, largeBytes, [403, forbidden]],
  ['beyond the largest result', '', 16 * 1024 * 1024 + 1, [413, tooLarge]],
])('a large body is not taken in %s', async (_, key, length, refusal) => {
  const clock = createFakeClock();
  const server = await startServer({ clock });
  let answer: unknown;
  const request = httpRequest(`${server.url}${bare}/response/r1`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', 'content-length': length, [gatewayKeyHeader]: key },
  });
  onTestFinished(() => void request.destroy());
  // No byte of the body is ever sent.
  request.flushHeaders();
  request.on('response', (response) => {
    response.setEncoding('utf8').once('data', (text: string) => {
      answer = [response.statusCode, JSON.parse(text)];
    });
  });
  const answerSoon = async () => {
    await clock.settle(1_000);
    return answer;
  };
  await expect.poll(answerSoon).toEqual(refusal);
});
