import { connect as connectTo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { me } from '../../../test/account.ts';
import { withMachine } from '../../../test/agent.ts';
import { requestOf } from '../../../test/daemon.ts';
import { newRestClient } from '../../../test/rest.ts';
import { newToken, openRpc, type Rpc } from '../../../test/rpc.ts';
import { invited } from '../../../test/tenants.ts';
import type { TestServer } from '../../../test/server.ts';

const mebibyte = 1024 * 1024;
const sessionId = 'cli:unread';
const socketsOfToken = 16;
const largest = 'x'.repeat(250 * 1024);

const world = async (environment: Record<string, string> = {}) => {
  const all = await withMachine([], { TOKEN_PER_MINUTE: '100000', ...environment });
  const guest = await openRpc(all.server, (await guestToken(all)).token);
  return { ...all, guest };
};
type World = Awaited<ReturnType<typeof world>>;

const guestToken = async ({ server, panel }: Pick<World, 'server' | 'panel'>) =>
  newToken(server, await invited(server, panel));

/** 48 sockets of three tokens; each asks for 250 KiB again and again, and reads nothing. */
const standing = async ({ server, cookie }: World, frames: number): Promise<Rpc[]> => {
  const sockets: Rpc[] = [];
  for (let token = 0; token < 3; token += 1) {
    const made = await newToken(server, cookie);
    const first = await openRpc(server, made.token);
    await first.call('canvas.put', { sessionId, artifactId: 'a', type: 'note', content: largest });
    for (let at = 0; at < socketsOfToken; at += 1) sockets.push(await openRpc(server, made.token));
  }
  for (const { socket, send } of sockets) {
    socket.pause();
    for (let id = 1; id <= frames; id += 1)
      send({ id, method: 'canvas.get', params: { sessionId, artifactId: 'a' } });
  }
  return sockets;
};

/** The most that was unread while another person was answered so often. */
const most = async ({ server, userId, guest }: World, answers: number): Promise<number> => {
  let bytes = 0;
  for (let count = 0; count < answers; count += 1) {
    expect((await guest.call('system.capabilities')).error).toBeUndefined();
    expect((await server.send('/health')).status).toBe(200);
    bytes = Math.max(bytes, server.app.unreadBytes(userId));
  }
  return bytes;
};

it('NJ-04: 48 sockets that do not read hold up their own requests alone, and lose no answer', async () => {
  const all = await world();
  const { server, userId } = all;
  const sockets = await standing(all, 40);
  await expect.poll(() => server.app.unreadBytes(userId), { timeout: 60_000 }).toBeGreaterThan(16 * mebibyte);
  // The low mark of 16 MiB, and answers to what each socket had read before; without it beyond the limit.
  expect(await most(all, 60)).toBeLessThan(96 * mebibyte);
  const reading = sockets.splice(0, 4);
  for (const { socket } of sockets) socket.terminate();
  for (const { socket } of reading) socket.resume();
  for (const { answerOf } of reading)
    for (let id = 1; id <= 40; id += 1) expect((await answerOf(id)).error).toBeUndefined();
  await expect.poll(() => server.app.unreadBytes(userId), { timeout: 60_000 }).toBeLessThan(mebibyte);
}, 180_000);

it('NJ-04: beyond the limit of a person their largest sockets are closed; programs get 429, the panel goes on', async () => {
  const all = await world({ UNREAD_BYTES_PER_USER: String(4 * mebibyte) });
  const { server, cookie, userId } = all;
  const script = await newRestClient(server, cookie);
  expect((await script.send('/status')).status).toBe(200);
  const sockets = await standing(all, 40);
  const closed = Promise.race(sockets.map((one) => one.closed));
  await expect.poll(() => server.app.unreadBytes(userId), { timeout: 60_000 }).toBeGreaterThan(2 * mebibyte);
  // A frame more than the limit is there before it is noticed.
  expect(await most(all, 20)).toBeLessThan(5 * mebibyte);
  const refused = await script.send('/status');
  expect([refused.status, refused.json]).toMatchObject([429, { code: 'TOO_MANY_REQUESTS' }]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(await me(server, cookie)).toMatchObject({ isOwner: true });
  for (const { socket } of sockets) socket.resume();
  expect([1006, 1013]).toContain((await closed).code);
  await expect.poll(async () => (await script.send('/status')).status, { timeout: 60_000 }).toBe(200);
}, 180_000);

/** A connection of HTTP that sends one request and reads nothing of its answer. */
const deaf = ({ url }: TestServer, path: string, headers: Record<string, string>) => {
  const { hostname, port } = new URL(url);
  const socket = connectTo(Number(port), hostname);
  socket.on('error', () => {});
  socket.pause();
  onTestFinished(() => void socket.destroy());
  const lines = Object.entries({ host: `${hostname}:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
};

it('NJ-04: answers by HTTP that are not read count too', async () => {
  const all = await world({ UNREAD_BYTES_PER_USER: String(24 * mebibyte) });
  const { server, cookie, daemon, userId } = all;
  const script = await newRestClient(server, cookie);
  const run = script.run('read_file', { path: 'a' });
  const { requestId } = requestOf(await daemon.stream.next());
  const text = 'x'.repeat(8 * mebibyte);
  await daemon.respond(requestId, { result: { content: [{ type: 'text', text }] } });
  expect((await run).status).toBe(200);
  const headers = { authorization: `Bearer ${script.token}` };
  for (let at = 0; at < 12; at += 1) deaf(server, `/api/v1/calls/${requestId}`, headers);
  await expect.poll(async () => (await script.send('/status')).status, { timeout: 60_000 }).toBe(429);
  expect(await most(all, 20)).toBeLessThan(24 * mebibyte + 8.5 * mebibyte);
  expect(server.app.unreadBytes(userId)).toBeGreaterThan(12 * mebibyte);
}, 180_000);
