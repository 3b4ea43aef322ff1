import { gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../../../test/server.ts';
import { createServer, requestIdOf } from '../../http/index.ts';
import { createLog, createScrubber } from '../../program/log.ts';
import { createLargeResultAdmission, largeBytes } from './large-result-admission.ts';
import { responseRoute } from './response.route.ts';

/** The route alone, with a collector that collects when it is told to. */
const setUp = async (answer: () => Promise<{ ok: true }>) => {
  const log = createLog({ level: 'silent', scrubber: createScrubber([]), write: () => {} });
  const app = await createServer({ log, trustProxy: [], secure: false, longestAnswerMs: 60_000 });
  const begun: string[] = [];
  const collections: (() => void)[] = [];
  const entered: string[] = [];
  const places = createLargeResultAdmission(createFakeClock());
  responseRoute(
    app,
    { base: '', queryKey: false, socket: false, wrap: (reply) => reply },
    {
      daemon: { userOf: async () => 'ada' },
      post: {
        answer: async ({ params }) => {
          begun.push(requestIdOf(params));
          return answer();
        },
      },
      resultMaxBytes: largeBytes * 4,
      largeResults: {
        enter: (userId, signal) => {
          entered.push(userId);
          return places.enter(userId, signal);
        },
      },
      collector: { dropped: () => new Promise((resolve) => collections.push(resolve)) },
    },
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const post = (requestId: string) =>
    send(`${url}/response/${requestId}`, {
      method: 'POST',
      headers: { [gatewayKeyHeader]: 'sess_x' },
      body: { result: { content: [{ type: 'text', text: 'x'.repeat(largeBytes) }] } },
    });
  return { begun, entered, collections, post };
};

it.each([
  ['taken', async () => ({ ok: true as const }), 200],
  ['refused', () => Promise.reject(new Error('went wrong')), 500],
])(
  'the place of a large result that was %s is given back after it was collected, and not before',
  async (_, answer, status) => {
    const { begun, entered, collections, post } = await setUp(answer);
    expect((await post('r1')).status).toBe(status);
    await expect.poll(() => collections).toHaveLength(1);
    const waiting = post('r2');
    await expect.poll(() => entered).toHaveLength(2);
    expect(begun).toEqual(['r1']);
    collections[0]?.();
    expect((await waiting).status).toBe(status);
    await expect.poll(() => collections).toHaveLength(2);
    expect(begun).toEqual(['r1', 'r2']);
  },
);
