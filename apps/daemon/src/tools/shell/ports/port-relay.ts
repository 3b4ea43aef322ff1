import type { Server, Socket } from 'node:net';
import type { Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { Refused } from '../../common/egress/refusal.ts';
import { controlLine } from './relay-program.ts';

/** Of one process. */
export const portLimits = { atOnce: 8, connections: 64 } as const;

const waitMs = 10_000;
const maxLineChars = 64;

/** Connections that have not said yet what they are, beside those that are asked for. */
const maxUnknown = 8;
const maxConnections = portLimits.connections + maxUnknown;

/** The first line of a connection, which is neither paused nor flows after it; undefined where none comes. */
const readFirstLine = (socket: Socket, clock: Clock): Promise<string | undefined> =>
  new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const settle = (line: string | undefined) => {
      cancelTimer();
      socket.off('readable', add).off('close', fail).off('end', fail);
      resolve(line);
    };
    const fail = () => settle(undefined);
    const add = () => {
      const chunk: unknown = socket.read();
      if (!Buffer.isBuffer(chunk)) return;
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf('\n');
      if (end === -1 && bytes.length <= maxLineChars) return;
      const line = end === -1 ? undefined : bytes.toString('latin1', 0, end);
      settle(line);
      if (line !== undefined && end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1));
    };
    const cancelTimer = clock.after(waitMs, fail);
    socket.on('readable', add).once('close', fail).once('end', fail);
  });

interface Waiting {
  port: number;
  connected(socket: Socket): void;
  refused(): void;
}

/**
 * Connections to the ports of one process. The other side runs in the sandbox and is not trusted: what
 * imitates it answers for ports of its own sandbox, as a program that listens there does.
 */
export const createPortRelay = (clock: Clock) => {
  const waiting = new Map<string, Waiting>();
  const open = new Set<Socket>();
  const servers: Server[] = [];
  let control: Socket | undefined;
  let bytes = 0;
  let isClosed = false;

  const ask = (id: string, { port }: Waiting) => control?.write(`${id} ${port}\n`);

  const follow = (socket: Socket) => {
    let text = '';
    control = socket;
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      const lines = (text + String(chunk)).split('\n');
      text = lines.pop() ?? '';
      if (text.length > maxLineChars) socket.destroy();
      for (const line of lines) waiting.get(line.replace(/^closed /, ''))?.refused();
    });
    socket.once('close', () => {
      if (control === socket) control = undefined;
    });
    socket.resume();
    for (const [id, one] of waiting) ask(id, one);
  };

  const take = async (socket: Socket) => {
    // Its close follows.
    socket.on('error', () => undefined);
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      bytes += socket.bytesRead + socket.bytesWritten;
    });
    const line = await readFirstLine(socket, clock);
    const one = line === undefined ? undefined : waiting.get(line);
    if (one !== undefined) one.connected(socket);
    else if (line === controlLine) follow(socket);
    else socket.destroy();
  };

  return {
    /** Takes the listener inside, through which the relay comes; the last one counts. */
    serve: (listener: Server) => {
      control?.destroy();
      servers.push(listener);
      // Set here: a listener that was handed over has the defaults.
      Object.assign(listener, { allowHalfOpen: true, noDelay: true, maxConnections });
      listener.on('connection', (socket: Socket) => void take(socket));
    },
    /** Rejects with `Refused` where nothing listens, after 10 s, and beyond 64 connections. */
    connect: (port: number): Promise<Socket> =>
      new Promise((resolve, reject) => {
        const id = nanoid();
        const settle = () => {
          cancelTimer();
          waiting.delete(id);
        };
        const refused = () => {
          settle();
          reject(new Refused('unreachable'));
        };
        const cancelTimer = clock.after(waitMs, refused);
        if (isClosed || waiting.size + open.size > portLimits.connections) {
          refused();
          return;
        }
        const connected = (socket: Socket) => {
          settle();
          resolve(socket);
        };
        const one = { port, connected, refused };
        waiting.set(id, one);
        ask(id, one);
      }),
    /** Both ways, of ended connections too. */
    bytes: () => [...open].reduce((sum, one) => sum + one.bytesRead + one.bytesWritten, bytes),
    close: () => {
      isClosed = true;
      for (const one of waiting.values()) one.refused();
      for (const server of servers) server.close();
      for (const socket of open) socket.destroy();
    },
  };
};

export type PortRelay = ReturnType<typeof createPortRelay>;
