import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { daemonMounts } from '@drawbridge/contracts/daemon-paths';
import { requestId } from '@drawbridge/contracts/ids';
import { z } from 'zod';

export interface Seen {
  method: string;
  /** Below the mount, without the query. */
  path: string;
  key: string | undefined;
  /** That of the query. */
  apiKey: string | undefined;
  lastEventId: string | undefined;
  epoch: string | undefined;
  body: unknown;
}

type Answer = ((request: Seen, response: ServerResponse) => void) & { status?: number };

export const sessionKey = `sess_${'k'.repeat(32)}`;
export const pairingToken = `gw_${'t'.repeat(32)}`;

export const json = (status: number, body: unknown): Answer => {
  const answer: Answer = (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  };
  return Object.assign(answer, { status });
};

export const page =
  (status: number): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('<h1>Sign in to the hotel</h1>');
  };

export const redirectTo =
  (status: number, location: string): Answer =>
  (_request, response) => {
    response.writeHead(status, { location });
    response.end();
  };

export const forbidden = json(403, { code: 'FORBIDDEN', message: 'Forbidden' });

/** Takes each of several results. */
const takeAll: Answer = (request, response) => {
  const { responses } = z.object({ responses: z.array(z.object({ requestId })) }).parse(request.body);
  json(200, { responses: responses.map((one) => ({ requestId: one.requestId, ok: true })) })(
    request,
    response,
  );
};

/** Only whether the key is valid: where the next init is answered well, so is this, without a trace. */
const isCheck = ({ path, body }: Seen): boolean =>
  path === '/init' && z.object({ check: z.literal(true) }).safeParse(body).success;

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? null : JSON.parse(text);
};

/** A small real server with the daemon's routes, each answered as the test says. */
export const startGatewayServer = async () => {
  const seen: Seen[] = [];
  let stream: ServerResponse | undefined;
  let newest: number | undefined;

  const openStream: Answer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    stream = response;
  };
  const answers: Record<string, Answer[]> = {
    health: [json(200, { status: 'ok' })],
    init: [json(200, { ok: true, sessionKey })],
    tools: [json(200, { ok: true })],
    events: [openStream],
    response: [json(200, { ok: true })],
    responses: [takeAll],
    progress: [json(200, { ok: true })],
    probe: [json(200, { ok: true })],
    rules: [json(200, { ok: true })],
    disconnect: [json(200, { ok: true })],
  };
  const nextAnswer = (route: string): Answer => {
    const queue = answers[route] ?? [];
    return (queue.length > 1 ? queue.shift() : queue[0]) ?? json(404, {});
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://local');
    const path = pathname.replace(daemonMounts.bare, '');
    const header = (name: string) => incoming.headersDistinct[name]?.[0];
    const request: Seen = {
      method: incoming.method ?? '',
      path,
      key: header('x-gateway-key'),
      apiKey: searchParams.get('apiKey') ?? undefined,
      lastEventId: header('last-event-id'),
      epoch: header('x-gateway-epoch'),
      body: await readBody(incoming),
    };
    if (isCheck(request) && (newest !== undefined || answers['init']?.[0]?.status === 200))
      return json(200, { ok: true, ...(newest !== undefined && { epoch: newest }) })(request, response);
    seen.push(request);
    nextAnswer(path.split('/')[1] ?? '')(request, response);
  };

  const server = createServer((incoming, response) => void handle(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Listening on TCP, the address is an object.
  const { port } = server.address() as AddressInfo;

  return {
    url: new URL(`http://127.0.0.1:${port}`),
    seen,
    /** Bodies that were posted as a result, each alone, in order. */
    results: () => seen.filter(({ path }) => path.startsWith('/response/')).map(({ body }) => body),
    /** Answers for one route, used up one by one; the last stays. */
    answer: (
      route: 'health' | 'init' | 'tools' | 'events' | 'response' | 'responses' | 'disconnect',
      ...list: Answer[]
    ) => {
      answers[route] = list.length === 0 ? [openStream] : list;
    },
    /** What a daemon that asks learns of its machine. */
    newestEpoch: (epoch: number) => void (newest = epoch),
    /** Writes on the newest open stream. */
    write: (text: string | Uint8Array) => void stream?.write(text),
    send: (event: unknown) => void stream?.write(`id: 1\ndata: ${JSON.stringify(event)}\n\n`),
    /** Closes the newest stream as a server does that is done with it. */
    endStream: () => void stream?.end(),
    /** Breaks its connection. */
    cutStream: () => void stream?.destroy(),
    close: () => {
      server.closeAllConnections();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
export type GatewayServer = Awaited<ReturnType<typeof startGatewayServer>>;
