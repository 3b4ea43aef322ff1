import { flushPromises, mount } from '@vue/test-utils';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import StoreBanner from './store-banner.vue';

let bench: Bench;
afterEach(async () => {
  vi.unstubAllGlobals();
  await bench.close();
});

/** A server whose `/health` answers so; the page is its own. */
const openHealth = async () => {
  let answer: { status: number; body: object } = { status: 200, body: { ok: true } };
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const own = fetch;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) => own(origin + path, init));
  return {
    asked: () => asked,
    say: (status: number, code?: string) => {
      answer = { status, body: { ok: status === 200, ...(code !== undefined && { code, message: code }) } };
    },
  };
};

it.each([
  // The server stays in service.
  [200, 'DISK_ALMOST_FULL', 'The disk is almost full:'],
  [503, 'STORE_UNAVAILABLE', 'The disk is full, or cannot be written:'],
])('NJ-01: says it while /health does, and no longer: %i %s', async (status, code, words) => {
  bench = await setBench();
  const health = await openHealth();
  health.say(status, code);
  const banner = mount(StoreBanner, { global: bench.global });
  const text = async () => {
    await flushPromises();
    return banner.text();
  };
  await expect.poll(text).toContain(words);
  health.say(200);
  bench.clock.advance(30_000);
  await expect.poll(text).toBe('');
  expect(health.asked()).toBe(2);
  banner.unmount();
});
