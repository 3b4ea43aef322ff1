import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { sleep, systemClock } from '@drawbridge/kit';
import { z } from 'zod';
import { chatChunks } from './chat-chunks.ts';
import { messagesChunks } from './messages-chunks.ts';
import type { Chunks, Turn } from './model-turn.ts';

export type { Turn } from './model-turn.ts';

const message = z.looseObject({ role: z.string(), content: z.unknown() });
const requestBody = z.looseObject({
  model: z.string().default(''),
  messages: z.array(message).default([]),
  tools: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        function: z.looseObject({ name: z.string() }).optional(),
      }),
    )
    .optional(),
});

/** One request that reached the model. */
export interface ScriptedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** The body as it came, and as it is read. */
  text: string;
  body: z.infer<typeof requestBody>;
  /** The names of the tools that were offered. */
  tools: string[];
  /** Resolves when its socket is closed, or the answer is complete. */
  closed: Promise<void>;
}

/** The turns in their order, or a function of the request and its number, from 1. */
export type Script = readonly Turn[] | ((request: ScriptedRequest, number: number) => Turn | Promise<Turn>);

export interface ScriptedModel {
  /** For `AGENT_MODEL_URL`. */
  url: string;
  requests: ScriptedRequest[];
  /** The request with this number, from 1, as soon as it is here. */
  request(number: number): Promise<ScriptedRequest>;
  close(): Promise<void>;
}

const noTurn = (number: number): Turn => ({
  status: 400,
  body: { error: { message: `The script has no turn ${number}.`, type: 'invalid_request_error' } },
});

const turnOf = (script: Script, request: ScriptedRequest, number: number) =>
  typeof script === 'function' ? script(request, number) : (script[number - 1] ?? noTurn(number));

const readText = async (incoming: IncomingMessage) => {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
};

const readRequest = async (incoming: IncomingMessage, reply: ServerResponse): Promise<ScriptedRequest> => {
  const closed = Promise.withResolvers<void>();
  reply.once('close', closed.resolve);
  const text = await readText(incoming);
  const body = requestBody.parse(text === '' ? {} : JSON.parse(text));
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    headers: incoming.headers,
    text,
    body,
    tools: (body.tools ?? []).map((tool) => tool.function?.name ?? tool.name ?? ''),
    closed: closed.promise,
  };
};

/** Waits while the client does not read; false when it has closed the connection. */
const write = async (reply: ServerResponse, text: string): Promise<boolean> => {
  if (reply.destroyed) return false;
  if (reply.write(text)) return true;
  const done = new AbortController();
  const { signal } = done;
  await Promise.race([once(reply, 'drain', { signal }), once(reply, 'close', { signal })]);
  done.abort();
  return !reply.destroyed;
};

type ChunksOf = (turn: Turn) => Chunks;
const byPath = (path: string): ChunksOf => (path.endsWith('/messages') ? messagesChunks : chatChunks);

const stream = async (reply: ServerResponse, turn: Turn, chunksOf: ChunksOf) => {
  const { parts, end } = chunksOf(turn);
  reply.writeHead(200, { 'content-type': 'text/event-stream', ...turn.headers });
  reply.flushHeaders();
  for (const part of parts) if (!(await write(reply, part))) return;
  await turn.until;
  switch (turn.end ?? 'finish') {
    case 'finish':
      for (const part of end) if (!(await write(reply, part))) return;
      reply.end();
      return;
    case 'no-finish':
      reply.end();
      return;
    case 'cut':
      reply.destroy();
      return;
    case 'silent':
      return;
  }
};

const answer = async (reply: ServerResponse, turn: Turn, chunksOf: ChunksOf) => {
  if (turn.delayMs !== undefined) await sleep(systemClock, turn.delayMs);
  if (turn.status === undefined) return stream(reply, turn, chunksOf);
  const body = turn.body ?? { error: { message: `Scripted status ${turn.status}.`, type: 'scripted' } };
  reply.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
  reply.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/**
 * A model server on a free loopback port: OpenAI's chat completions, and Anthropic's messages below
 * `/messages`, or what `protocolOf` says of a path. A script that has no turn left answers 400.
 */
export const startScriptedModel = async (
  script: Script,
  protocolOf: (path: string) => ChunksOf = byPath,
): Promise<ScriptedModel> => {
  const requests: ScriptedRequest[] = [];
  const arrivals = new Map<number, PromiseWithResolvers<ScriptedRequest>>();
  const arrivalOf = (number: number) => {
    const arrival = arrivals.get(number) ?? Promise.withResolvers<ScriptedRequest>();
    arrivals.set(number, arrival);
    return arrival;
  };

  const server = createServer((incoming, reply) => {
    const serve = async () => {
      const request = await readRequest(incoming, reply);
      const number = requests.push(request);
      arrivalOf(number).resolve(request);
      await answer(reply, await turnOf(script, request, number), protocolOf(request.path));
    };
    serve().catch((error: unknown) => {
      if (!reply.headersSent) reply.writeHead(500, { 'content-type': 'text/plain' });
      reply.end(`The script failed: ${String(error)}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the model has no port');

  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    request: (number) => arrivalOf(number).promise,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
