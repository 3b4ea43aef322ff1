import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { until } from '../harness/index.ts';
import type { Happening } from './history.ts';
import { createProxy, type Proxy } from './proxy.ts';
import { createRandom } from '../harness/random.ts';

/** Bodies that have reached the server. */
let got: string[];
/** Streams and sockets that the server has seen end. */
let hungUp: string[];
let notes: Happening[];
let server: Server;
let proxy: Proxy;
let writeFrame: (text: string) => void;
let writeMessage: (text: string) => void;

const frameOf = (id: number) => {
  const payload = { requestId: `request-${id}`, toolCall: { name: 'read_file', arguments: {} } };
  return `id: ${id}\ndata: ${JSON.stringify({ type: 'filesystem-request', payload })}\n\n`;
};

const post = async (body: string) => {
  const response = await fetch(`${proxy.url}/api/v1/instance-ai/gateway/response/r`, {
    method: 'POST',
    body,
  });
  return response.text();
};

/** Text of a stream as it comes; `broken` once it has ended, in whatever way. */
const openStream = async () => {
  const response = await fetch(`${proxy.url}/api/v1/instance-ai/gateway/events`);
  const heard = { text: '', broken: false };
  const listen = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) heard.text += chunk;
  };
  void listen()
    .catch(() => {})
    .then(() => {
      heard.broken = true;
    });
  return heard;
};

const greeting = '[]';

beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      writeFrame = (text) => response.write(text);
      response.on('close', () => hungUp.push('stream'));
      return;
    }
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      got.push(body);
      response.end(`got ${body}`);
    });
  });
  new WebSocketServer({ server }).on('connection', (socket) => {
    // It leaves with the server's answer to the upgrade.
    socket.send(greeting);
    writeMessage = (text) => socket.send(text);
    socket.on('close', () => hungUp.push('socket'));
    socket.on('message', (data) => got.push(String(data)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  proxy = await createProxy({
    user: 0,
    target: `http://127.0.0.1:${port}`,
    random: createRandom(1),
    note: (happening) => notes.push(happening),
  });
});

beforeEach(() => {
  got = [];
  hungUp = [];
  notes = [];
});

afterAll(async () => {
  await proxy.close();
  server.closeAllConnections();
  server.close();
});

it('passes on what it is given, and notes it', async () => {
  expect(await post('one')).toBe('got one');
  const heard = await openStream();
  writeFrame(frameOf(1));
  await until(async () => heard.text === frameOf(1) && notes.length === 4);
  expect(notes.slice(1)).toEqual([
    { type: 'stream', link: 'stream', user: 0, stream: 1, key: expect.any(String) },
    { type: 'frame', user: 0, stream: 1, id: 1, event: 'filesystem-request', requestId: 'request-1' },
    { type: 'passed', user: 0, stream: 1, id: 1 },
  ]);
  expect(notes[0]).toEqual({ type: 'post', user: 0, path: 'response/r', status: 200, repeated: false });
});

it('repeat: a whole POST comes twice, and so does a frame', async () => {
  const heard = await openStream();
  const end = proxy.begin('repeat');
  expect(await post('two')).toBe('got two');
  expect(got).toEqual(['two', 'two']);
  writeFrame(frameOf(2));
  await until(async () => heard.text === frameOf(2) + frameOf(2));
  end();
});

it('forget: the daemon loses its connections, and the server learns of it at the end alone', async () => {
  const stream = await openStream();
  const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/api/v1/instance-ai/gateway/socket`);
  const broken = once(socket, 'close');
  await once(socket, 'message');
  const before = proxy.streams();
  const end = proxy.forget();
  await Promise.all([broken, until(async () => stream.broken)]);
  // Another connection passes meanwhile.
  expect(await post('new')).toBe('got new');
  expect(proxy.streams()).toBe(before);
  writeFrame(frameOf(7));
  await until(async () => notes.some((note) => note.type === 'frame' && note.requestId === 'request-7'));
  expect(hungUp).toEqual([]);
  end();
  await until(async () => hungUp.includes('stream') && hungUp.includes('socket'));
});

it('hold-up: a POST comes once the fault is over', async () => {
  const end = proxy.begin('hold-up');
  const answer = post('three');
  await until(async () => proxy.inFlight() === 1);
  expect(got).toEqual([]);
  end();
  expect(await answer).toBe('got three');
});

it('hold-down: the server gets it at once, the answer comes later, frames keep their order', async () => {
  const heard = await openStream();
  const end = proxy.begin('hold-down');
  const answer = post('four');
  await until(async () => got.includes('four'));
  writeFrame(frameOf(1));
  writeFrame(frameOf(2));
  await until(async () => notes.filter((note) => note.type === 'frame').length === 2);
  expect(heard.text).toBe('');
  end();
  expect(await answer).toBe('got four');
  await until(async () => heard.text === frameOf(1) + frameOf(2));
});

it('lose-up: a POST never comes, and its connection breaks', async () => {
  const end = proxy.begin('lose-up');
  const answer = expect(post('five')).rejects.toThrow();
  await until(async () => proxy.inFlight() === 1);
  end();
  await answer;
  expect(got).toEqual([]);
});

it('lose-down: the server gets it, the answer is lost; a stream loses its frame and breaks', async () => {
  const heard = await openStream();
  const end = proxy.begin('lose-down');
  const answer = expect(post('six')).rejects.toThrow();
  writeFrame(frameOf(1));
  await until(async () => got.includes('six') && notes.some((note) => note.type === 'frame'));
  end();
  await answer;
  await until(async () => heard.broken);
  expect({ got, text: heard.text }).toEqual({ got: ['six'], text: '' });
});

it('cut: a stream breaks, and the next connection works', async () => {
  const heard = await openStream();
  proxy.begin('cut')();
  await until(async () => heard.broken);
  expect(await post('seven')).toBe('got seven');
});

it('refuse: no connection while it lasts', async () => {
  const end = proxy.begin('refuse');
  await expect(post('eight')).rejects.toThrow();
  end();
  expect(await post('nine')).toBe('got nine');
  expect(got).toEqual(['nine']);
});

it('delay: everything comes', async () => {
  const end = proxy.begin('delay');
  expect(await post('ten')).toBe('got ten');
  end();
});

it('truncate-up: half of a POST arrives, which is not valid, and its connection breaks', async () => {
  const end = proxy.begin('truncate-up');
  await expect(post('eleven')).rejects.toThrow();
  end();
  expect(await post('twelve')).toBe('got twelve');
  expect(got).toEqual(['twelve']);
});

it('truncate-down: half of the answer comes, and half of a frame, and then nothing', async () => {
  const heard = await openStream();
  const end = proxy.begin('truncate-down');
  await expect(post('thirteen')).rejects.toThrow();
  writeFrame(frameOf(1));
  await until(async () => heard.broken);
  end();
  expect(got).toEqual(['thirteen']);
  expect(heard.text).toBe(frameOf(1).slice(0, Math.floor(frameOf(1).length / 2)));
  expect(notes.filter((note) => note.type === 'passed')).toEqual([]);
});

/** Messages of a socket as they come; `broken` once it is gone. */
const openSocket = async () => {
  const socket = new WebSocket(`${proxy.url.replace('http', 'ws')}/gateway/socket`);
  const heard = { messages: new Array<string>(), broken: false };
  socket.on('message', (data) => heard.messages.push(String(data)));
  socket.on('error', () => {});
  socket.on('close', () => (heard.broken = true));
  await until(async () => heard.messages.length === 1);
  expect(heard.messages.splice(0)).toEqual([greeting]);
  return { socket, heard };
};
const message = JSON.stringify([
  {
    event: {
      type: 'filesystem-request',
      payload: { requestId: 'r', toolCall: { name: 'a', arguments: {} } },
    },
  },
  { id: 1, status: 200, body: {} },
]);

it('a socket: messages pass both ways from the first on, and are noted as frames and posts', async () => {
  const { socket, heard } = await openSocket();
  const sent = JSON.stringify([{ id: 1, path: '/response/r', body: {} }]);
  socket.send(sent);
  await until(async () => got.length === 1);
  writeMessage(message);
  // The proxy notes it as it sends it, and it arrives a moment later.
  await until(async () => heard.messages.length === 1 && notes.some(({ type }) => type === 'passed'));
  const stream = expect.any(Number);
  expect(notes).toEqual([
    { type: 'stream', link: 'socket', user: 0, stream, key: expect.any(String) },
    { type: 'frame', user: 0, stream, id: 1, event: 'filesystem-request', requestId: 'r' },
    { type: 'post', user: 0, path: 'response/r', status: 200, repeated: false },
    { type: 'passed', user: 0, stream, id: 1 },
  ]);
  expect([got, heard.messages]).toEqual([[sent], [message]]);
  proxy.begin('cut')();
  await until(async () => heard.broken);
});

it('a socket: what is held comes later, what is lost or cut in half never', async () => {
  const { socket, heard } = await openSocket();
  const hold = proxy.begin('hold-down');
  writeMessage(message);
  await until(async () => notes.some(({ type }) => type === 'frame'));
  expect(heard.messages).toEqual([]);
  hold();
  await until(async () => heard.messages.length === 1);
  const truncate = proxy.begin('truncate-up');
  socket.send('[]');
  await until(async () => heard.broken);
  truncate();
  expect(got).toEqual([]);
});

it('a socket: at a server that is gone its connection breaks, and nothing else does', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  const target = `http://127.0.0.1:${port}`;
  const alone = await createProxy({ user: 0, target, random: createRandom(1), note: () => {} });
  const socket = new WebSocket(`${alone.url.replace('http', 'ws')}/gateway/socket`);
  const [error] = await once(socket, 'error');
  expect(error).toMatchObject({ message: 'socket hang up' });
  await alone.close();
});
