import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { daemonEvent } from '@drawbridge/contracts/daemon-event';
import { socketAnswer, socketEvent, socketRequest } from '@drawbridge/contracts/link/socket';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import type { Gate } from './gate.ts';
import type { Happening } from './history.ts';

/** What the proxy of a user does to all that passes. */
export interface SocketWay {
  user: number;
  /** The server's address. */
  target: string;
  up: Gate;
  down: Gate;
  late(): Promise<void>;
  /** A message that is cut in the middle takes its connection with it. */
  isTruncating(direction: 'up' | 'down'): boolean;
  /** The number of the next stream, which the server has answered so. */
  nextStream(answer: IncomingMessage): number;
  keyOf(request: IncomingMessage): string;
  /** The daemon is gone: `end` closes the server's end. */
  hangUp(end: () => void): void;
  note(happening: Happening): void;
}

const entries = z.array(z.unknown());

/** One after the other: what passes keeps its order whatever delays it. */
const createOrder = ({ late }: SocketWay, gate: Gate) => {
  let last = Promise.resolve();
  return (write: () => void) => {
    last = last.then(async () => {
      await late();
      if (await gate.pass()) write();
    });
  };
};

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      /^(host|connection|upgrade|sec-websocket-.*)$/.test(name) ? [] : [[name, String(value)]],
    ),
  );

/** Passes the sockets between a user's daemons and the server on, and notes what is on them. */
export const createSocketPass = (way: SocketWay) => {
  const { user, target, up, down, note } = way;
  const acceptor = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  const open = new Set<WebSocket>();
  const keep = (socket: WebSocket) => {
    open.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => open.delete(socket));
  };

  const join = (daemon: WebSocket, server: WebSocket, stream: number) => {
    const paths = new Map<number, string>();
    const [sendUp, sendDown] = [createOrder(way, up), createOrder(way, down)];
    let frames = 0;

    const noteDown = (entry: unknown): number | null => {
      const answer = socketAnswer.safeParse(entry).data;
      if (answer) {
        const path = (paths.get(answer.id) ?? '').replace(/^\//, '');
        paths.delete(answer.id);
        note({ type: 'post', user, path, status: answer.status, repeated: false });
        return null;
      }
      const event = daemonEvent.safeParse(socketEvent.safeParse(entry).data?.event).data;
      const requestId = event && 'requestId' in event.payload ? event.payload.requestId : null;
      frames += 1;
      note({ type: 'frame', user, stream, id: frames, event: event?.type ?? 'unknown', requestId });
      return frames;
    };

    server.on('message', (data) => {
      const text = String(data);
      const ids = entries.parse(JSON.parse(text)).flatMap((entry) => noteDown(entry) ?? []);
      sendDown(() => {
        if (way.isTruncating('down')) return daemon.terminate();
        daemon.send(text, (error) => {
          if (!error) for (const id of ids) note({ type: 'passed', user, stream, id });
        });
      });
    });
    server.on('ping', () => sendDown(() => daemon.readyState === WebSocket.OPEN && daemon.ping()));
    // Only a daemon that answers is alive.
    daemon.on('pong', () => sendUp(() => server.readyState === WebSocket.OPEN && server.pong()));
    server.once('close', () => {
      note({ type: 'stream-ended', user, stream });
      sendDown(() => daemon.terminate());
    });
    daemon.on('message', (data) => {
      const text = String(data);
      for (const entry of entries.parse(JSON.parse(text))) {
        const post = socketRequest.safeParse(entry).data;
        if (post) paths.set(post.id, post.path);
      }
      sendUp(() => (way.isTruncating('up') ? server.terminate() : server.send(text, () => {})));
    });
    daemon.once('close', () => sendUp(() => way.hangUp(() => server.terminate())));
  };

  const pass = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    await way.late();
    if (!(await up.pass())) return;
    const address = target.replace('http', 'ws') + (request.url ?? '');
    const headers = headersOf(request);
    const server = new WebSocket(address, { headers, perMessageDeflate: false, autoPong: false });
    keep(server);
    // The server's first message may come with its answer, and a socket that is not open yet ignores a pause.
    server.once('open', () => server.pause());
    const [[answer]] = (await Promise.all([once(server, 'upgrade'), once(server, 'open')])) as [
      [IncomingMessage],
      unknown,
    ];
    const stream = way.nextStream(answer);
    note({ type: 'stream', link: 'socket', user, stream, key: way.keyOf(request) });
    let isJoined = false;
    acceptor.handleUpgrade(request, socket, head, (daemon) => {
      isJoined = true;
      keep(daemon);
      join(daemon, server, stream);
      server.resume();
    });
    if (isJoined) return;
    // The daemon is gone already.
    note({ type: 'stream-ended', user, stream });
    server.terminate();
  };

  return {
    /** A server that takes no socket here breaks the connection. */
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      socket.on('error', () => {});
      pass(request, socket, head).catch(() => socket.destroy());
    },
    cut: (): void => {
      for (const socket of open) socket.terminate();
    },
  };
};
