import { EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '@drawbridge/kit';

/** A request that has no answer by then is cut. */
const decideWithinMs = 15_000;

const pathOf = (url: string | undefined) => url?.split('?')[0] ?? '';

const asksForSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket';

const upgradeHeaders: ReadonlySet<string> = new Set(['upgrade', 'http2-settings']);

/** `Connection` without what announced the upgrade; undefined where nothing is left. */
const withoutUpgrade = (value: string): string | undefined =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !upgradeHeaders.has(name.toLowerCase()))
    .join(', ') || undefined;

/** The head of the request as it came, without its wish for another protocol. */
const plainHead = ({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer => {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2);
    const kept = name.toLowerCase() === 'connection' ? withoutUpgrade(value) : value;
    if (!upgradeHeaders.has(name.toLowerCase()) && kept !== undefined) lines.push(`${name}: ${kept}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
};

interface Route {
  path: string;
  events: EventEmitter;
}

interface UpgradesNeeds {
  clock: Clock;
  /** The socket is no connection of HTTP from now on. */
  onUpgraded(socket: Socket): void;
}

/**
 * Owns `upgrade` of servers of HTTP: Node gives every request with an `Upgrade` header to its listener, with
 * the body unread. Those of routes that take WebSockets are emitted again, others are served as plain
 * requests.
 */
export const createUpgrades = ({ clock, onUpgraded }: UpgradesNeeds) => {
  const routes = new Map<string, Route>();

  const serve = (route: Route, request: IncomingMessage, socket: Socket, head: Buffer) => {
    onUpgraded(socket);
    request.url = route.path;
    const { bytesWritten } = socket;
    const cancelCut = clock.after(decideWithinMs, () => {
      if (socket.bytesWritten === bytesWritten) socket.destroy();
    });
    socket.once('close', cancelCut);
    route.events.emit('upgrade', request, socket, head);
  };

  return {
    /** Emits `upgrade` for WebSockets at `path`, and at `aliases` of it. */
    at: (path: string, aliases: readonly string[] = []): EventEmitter => {
      const route = { path, events: new EventEmitter() };
      for (const one of [path, ...aliases]) routes.set(one, route);
      return route.events;
    },
    own: (server: Server): void => {
      server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
        const route = asksForSocket(request) ? routes.get(pathOf(request.url)) : undefined;
        if (route !== undefined) return serve(route, request, socket, head);
        socket.unshift(Buffer.concat([plainHead(request), head]));
        server.emit('connection', socket);
      });
    },
  };
};
