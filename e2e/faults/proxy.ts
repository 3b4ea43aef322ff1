import { hash } from 'node:crypto';
import * as http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { initReply } from '@drawbridge/contracts/daemon-reply';
import { initBody } from '@drawbridge/contracts/daemon-surface';
import { sleep, systemClock } from '@drawbridge/kit';
import { servedBy } from '../cluster/balancer.ts';
import type { Happening } from './history.ts';
import { createGate } from './gate.ts';
import { createFrames } from './frames.ts';
import { createSocketPass } from './proxy-socket.ts';
import type { LinkFault } from './plan.ts';
import type { Random } from '../harness/random.ts';

/** Stands between one user's daemons and the server, and does to what passes what a bad network does. */
export interface Proxy {
  url: string;
  /** Begins a fault; the returned function ends it. */
  begin(fault: LinkFault): () => void;
  /** Breaks the connections of the daemons. The servers do not learn of it until the returned function is called. */
  forget(): () => void;
  /** How many streams and sockets were opened. */
  streams(): number;
  /** Which of several servers has answered the newest one; null where none has. */
  serverOfStream(): number | null;
  /** POSTs that were read whole and have no answer yet. */
  inFlight(): number;
  close(): Promise<void>;
}

export interface ProxyOptions {
  user: number;
  /** The server's address. */
  target: string;
  random: Random;
  note(happening: Happening): void;
}

const longestDelayMs = 800;

const half = <T extends Buffer | string>(whole: T) => whole.slice(0, Math.floor(whole.length / 2));

const readAll = async (message: http.IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  // Without an encoding a message gives buffers.
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

/** Below the mount, without a query. */
const shortPath = (url = ''): string => url.replace(/\?.*/, '').replace(/^.*\/gateway\//, '');

/** The epoch that an init gave, and the digest of the key that its machine has from then on. */
const initIn = (reply: string, sent: string): { epoch: number; key: string } | undefined => {
  const { epoch, sessionKey } = initReply.safeParse(JSON.parse(reply)).data ?? {};
  return epoch === undefined ? undefined : { epoch, key: digestOf(sessionKey ?? sent) };
};

/** Only whether the key holds: the answer names an epoch that another init has given. */
const isCheck = (body: string): boolean => initBody.safeParse(JSON.parse(body)).data?.check === true;

const digestOf = (key: string): string => hash('sha256', key);
const keyIn = ({ headers }: http.IncomingMessage): string => String(headers[gatewayKeyHeader] ?? '');

export const createProxy = async ({ user, target, random, note }: ProxyOptions): Promise<Proxy> => {
  const up = createGate();
  const down = createGate();
  const connections = new Set<Socket>();
  const upstream = new Set<http.ClientRequest>();
  let refusing = false;
  let delaying = false;
  let repeating = false;
  let truncatingUp = false;
  let truncatingDown = false;
  let forgetting = false;
  const forgotten = new Set<() => void>();
  let streams = 0;
  let posts = 0;
  let streamsServer: number | null = null;
  const nextStream = ({ headers }: http.IncomingMessage) => {
    const name = /^server(\d+)$/.exec(String(headers[servedBy]));
    streamsServer = name ? Number(name[1]) - 1 : null;
    return (streams += 1);
  };
  /** The server learns that the daemon has hung up. */
  const hangUp = (end: () => void) => {
    if (forgetting) forgotten.add(end);
    else void up.pass().then(end);
  };

  const late = async () => {
    if (delaying) await sleep(systemClock, random.whole(0, longestDelayMs));
  };

  const begin = (request: http.IncomingMessage): http.ClientRequest => {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const { method } = request;
    const outgoing = http.request(target + (request.url ?? ''), { method, headers, agent: false });
    upstream.add(outgoing);
    outgoing.on('close', () => upstream.delete(outgoing));
    return outgoing;
  };

  /** Sends one request on; the answer's head comes with its body unread. */
  const forward = (request: http.IncomingMessage, body: Buffer): Promise<http.IncomingMessage> =>
    new Promise((resolve, reject) => {
      const outgoing = begin(request);
      outgoing.on('response', resolve);
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  /** Announces the whole body, sends half of it, and breaks off. */
  const forwardHalf = (request: http.IncomingMessage, body: Buffer): Promise<never> =>
    new Promise((_resolve, reject) => {
      const outgoing = begin(request);
      outgoing.setHeader('content-length', body.length);
      outgoing.on('error', reject);
      outgoing.write(half(body), () => outgoing.destroy(new Error('truncated')));
    });

  const exchange = async (request: http.IncomingMessage, body: Buffer, repeated: boolean) => {
    const answer = await forward(request, body);
    const text = await readAll(answer);
    const path = shortPath(request.url);
    note({ type: 'post', user, path, status: answer.statusCode ?? 0, repeated });
    const isInit = path === 'init' && answer.statusCode === 200 && !isCheck(String(body));
    const init = isInit ? initIn(String(text), keyIn(request)) : undefined;
    if (init) note({ type: 'epoch', user, ...init });
    return { answer, text };
  };

  const post = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const body = await readAll(request);
    posts += 1;
    response.on('close', () => (posts -= 1));
    await late();
    if (!(await up.pass())) return;
    if (truncatingUp && body.length > 0) return forwardHalf(request, body);
    const again = repeating ? exchange(request, body, true).catch(() => undefined) : undefined;
    const { answer, text } = await exchange(request, body, false);
    await again;
    await late();
    if (!(await down.pass())) return;
    if (truncatingDown) {
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, 'content-length': text.length });
      response.write(half(text), () => response.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
  };

  const stream = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    await late();
    if (!(await up.pass())) return;
    const answer = await forward(request, Buffer.alloc(0));
    // The daemon's hanging up reaches the server like anything else that it sends.
    response.on('close', () => hangUp(() => answer.destroy()));
    if (answer.statusCode !== 200) {
      response.writeHead(answer.statusCode ?? 502, answer.headers).end(await readAll(answer));
      return;
    }
    const number = nextStream(answer);
    note({ type: 'stream', link: 'stream', user, stream: number, key: digestOf(keyIn(request)) });
    const frames = createFrames();
    answer.setEncoding('utf8');
    // One after the other: a stream keeps its order whatever delays it.
    let last = Promise.resolve(true);
    const inOrder = (write: () => void) => {
      last = last.then(async (flows) => {
        await late();
        if (!flows || !(await down.pass())) return false;
        write();
        return true;
      });
    };
    inOrder(() => response.writeHead(200, answer.headers).flushHeaders());
    try {
      for await (const chunk of answer) {
        for (const { text, event, id, requestId } of frames.take(String(chunk))) {
          if (event !== null) note({ type: 'frame', user, stream: number, id, event, requestId });
          inOrder(() => {
            if (truncatingDown) return response.write(half(text), () => response.destroy());
            // What is written to a daemon that is gone has not passed.
            response.write(repeating ? text + text : text, (error) => {
              if (id !== null && !error) note({ type: 'passed', user, stream: number, id });
            });
          });
        }
      }
      note({ type: 'stream-ended', user, stream: number });
    } finally {
      inOrder(() => response.end());
    }
  };

  const sockets = createSocketPass({
    ...{ user, target, up, down, late, nextStream, hangUp, note },
    isTruncating: (direction) => (direction === 'up' ? truncatingUp : truncatingDown),
    keyOf: (request) => digestOf(keyIn(request)),
  });
  const server = http.createServer((request, response) => {
    response.on('error', () => {});
    const work = request.method === 'GET' ? stream(request, response) : post(request, response);
    // Whatever broke, the daemon sees a broken connection.
    work.catch(() => response.destroy());
  });
  server.on('upgrade', sockets.upgrade);
  server.on('connection', (socket) => {
    if (refusing) return socket.destroy();
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
  });

  const cut = () => {
    for (const connection of connections) connection.destroy();
    sockets.cut();
    for (const request of upstream) request.destroy();
  };

  const setFault = (fault: LinkFault, on: boolean): void => {
    switch (fault) {
      case 'cut':
        if (on) cut();
        return;
      case 'refuse':
        refusing = on;
        if (on) cut();
        return;
      case 'hold-up':
        return up.set(on ? 'held' : 'open');
      case 'hold-down':
        return down.set(on ? 'held' : 'open');
      case 'lose-up':
        up.set(on ? 'losing' : 'open');
        // What was lost on the way never comes: the connection that carried it is broken.
        if (!on) cut();
        return;
      case 'lose-down':
        down.set(on ? 'losing' : 'open');
        if (!on) cut();
        return;
      case 'delay':
        delaying = on;
        return;
      case 'repeat':
        repeating = on;
        return;
      case 'truncate-up':
        truncatingUp = on;
        return;
      case 'truncate-down':
        truncatingDown = on;
        return;
      default:
        fault satisfies never;
    }
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // It listens on a port, so its address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    begin: (fault) => {
      setFault(fault, true);
      return () => setFault(fault, false);
    },
    forget: () => {
      forgetting = true;
      for (const connection of connections) connection.destroy();
      return () => {
        forgetting = false;
        for (const end of forgotten) end();
        forgotten.clear();
      };
    },
    streams: () => streams,
    serverOfStream: () => streamsServer,
    inFlight: () => posts,
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
