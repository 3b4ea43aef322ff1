import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket, type OnReadOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@drawbridge/kit';
import type { WebHost } from '../network/host.ts';
import { admit, type Admission } from './admit.ts';
import { parseAuthority, readTarget } from './authority.ts';
import { dialDirectly, whenConnected, type Dial } from './dial.ts';
import { createDownstream, createReadBuffers, type ReadBuffers } from './downstream.ts';
import { readFirstBytes, speaksFirst, waitMs } from './first-bytes.ts';
import { forwardRequest } from './http-forward.ts';
import { createLinks, type Links } from './links.ts';
import { Refused, type Failure } from './refusal.ts';

const maxClients = 256;
const maxHeaderBytes = 16 * 1024;

/** Answers for a name that leads nowhere. */
export interface Service {
  hostname: string;
  request(incoming: IncomingMessage, answer: ServerResponse, path: string): Promise<void>;
  tunnel(request: IncomingMessage, client: Socket, head: Buffer): Promise<void>;
}

export interface EgressNeeds extends Admission {
  clock: Clock;
  refused(place: WebHost, reason: Failure): void;
  /** What a client has to show, `Basic …`; absent where only the right clients reach the listener. */
  authorization?: string;
  /** Whether the first bytes of a tunnel must fit its place. */
  checksFirstBytes: boolean;
  service?: Service | undefined;
  dial?: Dial | undefined;
  /** For a place that no address leads to: what connects to it. Rejects with `Refused`. */
  into?(place: WebHost): Promise<(() => Promise<Socket>) | undefined>;
}

interface Context extends EgressNeeds {
  links: Links;
  buffers: ReadBuffers;
  /** Clients whose CONNECT named a place for plain HTTP. */
  tunnelled: WeakMap<Socket, WebHost>;
  accept(client: Socket): void;
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  403: 'Forbidden',
  407: 'Proxy Authentication Required',
};
const challenge = { 'Proxy-Authenticate': 'Basic realm="drawbridge"' };
const established = 'HTTP/1.1 200 Connection established\r\n\r\n';

const statusOf = (reason: Failure): number => (reason === 'request' ? 400 : 403);

/** The same for every reason: a program that tries hosts learns nothing from it. */
const refuseRequest = (answer: ServerResponse, status: number): void => {
  if (answer.headersSent) {
    answer.destroy();
    return;
  }
  answer.shouldKeepAlive = false;
  answer.writeHead(status, status === 407 ? challenge : {}).end('Blocked\n');
};

const refuseTunnel = (client: Duplex, status: number): void => {
  const more = status === 407 ? `Proxy-Authenticate: ${challenge['Proxy-Authenticate']}\r\n` : '';
  client.end(
    `HTTP/1.1 ${status} ${reasons[status]}\r\n${more}Content-Length: 0\r\nConnection: close\r\n\r\n`,
  );
};

const isKnown = ({ authorization }: Context, { headers }: IncomingMessage): boolean =>
  authorization === undefined || headers['proxy-authorization'] === authorization;

interface Admitted {
  place: WebHost;
  /** Paused where `onread` is given and used. */
  connect(onread?: OnReadOpts): Promise<Socket>;
}

/** Throws `Refused`. */
const admitted = async (context: Context, place: WebHost, known?: readonly string[]): Promise<Admitted> => {
  const { clock, dial = dialDirectly, into } = context;
  const connectInto = await into?.(place);
  if (connectInto !== undefined) return { place, connect: connectInto };
  const addresses = await admit(context, place, known);
  return { place, connect: (onread) => whenConnected(dial(addresses, place.port, onread), clock) };
};

const reach = async (
  { links }: Context,
  { place, connect: connectTo }: Admitted,
  { client, onread }: { client: Duplex; onread?: OnReadOpts },
): Promise<Socket> => {
  const remote = await connectTo(onread);
  links.add(place, { client, remote });
  if (client.destroyed) remote.destroy();
  return remote;
};

const join = (client: Socket, remote: Socket, start: Buffer): void => {
  if (start.length > 0) remote.write(start);
  client.pipe(remote);
};

const openTunnel = async (context: Context, target: Admitted, client: Socket, head: Buffer) => {
  const { buffers, checksFirstBytes, clock, tunnelled, accept } = context;
  const { place } = target;
  if (checksFirstBytes && place.port === 80) {
    // HTTP inside: each request in it is checked like one to the proxy.
    tunnelled.set(client, place);
    client.write(established);
    client.unshift(head);
    accept(client);
    return;
  }
  const readFirst = () => readFirstBytes(client, { place, head, clock });
  const checksBefore = checksFirstBytes && speaksFirst(place);
  if (checksBefore) client.write(established);
  const first = checksBefore ? await readFirst() : undefined;
  const { onread, begin } = createDownstream(client, buffers);
  const remote = await reach(context, target, { client, onread });
  if (!checksBefore) client.write(established);
  begin(remote);
  join(client, remote, first ?? (checksFirstBytes ? await readFirst() : head));
};

/** Both, because a program may listen on one of them alone. */
const loopback = ['127.0.0.1', '::1'];

const relay = async (context: Context, client: Socket, place: WebHost) => {
  try {
    const { onread, begin } = createDownstream(client, context.buffers);
    const remote = await reach(context, await admitted(context, place, loopback), { client, onread });
    begin(remote);
    join(client, remote, Buffer.alloc(0));
  } catch (error) {
    context.refused(place, error instanceof Refused ? error.reason : 'unreachable');
    client.destroy();
  }
};

const connect = async (context: Context, request: IncomingMessage, client: Socket, head: Buffer) => {
  const place = parseAuthority(request.url ?? '');
  if (!isKnown(context, request)) {
    refuseTunnel(client, 407);
    return;
  }
  if (place === undefined || context.tunnelled.has(client)) {
    refuseTunnel(client, 400);
    return;
  }
  if (place.hostname === context.service?.hostname) {
    await context.service.tunnel(request, client, head);
    return;
  }
  const before = client.bytesWritten;
  try {
    await openTunnel(context, await admitted(context, place), client, head);
  } catch (error) {
    const reason = error instanceof Refused ? error.reason : 'unreachable';
    context.refused(place, reason);
    if (client.bytesWritten > before) client.destroy();
    else refuseTunnel(client, statusOf(reason));
  }
};

const forward = async (context: Context, incoming: IncomingMessage, answer: ServerResponse) => {
  const tunnelled = context.tunnelled.get(incoming.socket);
  if (tunnelled === undefined && !isKnown(context, incoming)) {
    refuseRequest(answer, 407);
    return;
  }
  const target = readTarget(incoming, tunnelled);
  if (target === undefined) {
    refuseRequest(answer, 400);
    return;
  }
  const { place, path } = target;
  if (place.hostname === context.service?.hostname) {
    await context.service.request(incoming, answer, path);
    return;
  }
  try {
    const remote = await reach(context, await admitted(context, place), { client: incoming.socket });
    await forwardRequest(incoming, answer, { remote, path });
  } catch (error) {
    const reason = error instanceof Refused ? error.reason : 'unreachable';
    context.refused(place, reason);
    refuseRequest(answer, statusOf(reason));
  }
};

/**
 * A proxy for HTTP and CONNECT that reaches what `mayConnect` allows, at the addresses that it was asked
 * about. It has no listener of its own: connections come through `accept`.
 */
export const createEgress = (needs: EgressNeeds) => {
  const { clock } = needs;
  const clients = new Set<Socket>();
  const deadlines = new WeakMap<Socket, () => void>();
  const server = createServer({ maxHeaderSize: maxHeaderBytes });
  const links = createLinks(clock);

  /** Hands a connection to the parser of HTTP. */
  const accept = (client: Socket): void => {
    const cancel = clock.after(waitMs, () => client.destroy());
    deadlines.set(client, cancel);
    client.once('close', cancel);
    server.emit('connection', client);
  };

  const buffers = createReadBuffers();
  const context: Context = { ...needs, links, buffers, tunnelled: new WeakMap(), accept };
  server.on('request', (incoming, answer) => {
    deadlines.get(incoming.socket)?.();
    void forward(context, incoming, answer);
  });
  server.on('connect', (request, client, head) => {
    if (!(client instanceof Socket)) return;
    deadlines.get(client)?.();
    void connect(context, request, client, head);
  });

  /** False where there are too many: the connection is ended. */
  const take = (client: Socket): boolean => {
    if (clients.size >= maxClients) {
      client.destroy();
      return false;
    }
    clients.add(client);
    client.once('close', () => void clients.delete(client));
    // Its close follows.
    client.on('error', () => undefined);
    return true;
  };

  return {
    accept: (client: Socket) => {
      if (take(client)) accept(client);
    },
    /** Joins a connection with a port of this machine's loopback, without looking into it. */
    relay: (client: Socket, place: WebHost) => {
      if (take(client)) void relay(context, client, place);
    },
    /** Where connections are open now. */
    places: links.places,
    /** Ends the connections to a place. */
    cut: links.cut,
    traffic: links.traffic,
    /** Ends all connections. */
    close: () => {
      links.stop();
      for (const client of clients) client.destroy();
    },
  };
};
