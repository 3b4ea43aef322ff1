import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import type { InitBody, ResponseBody } from '@drawbridge/contracts/daemon-surface';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Access, AccessControl } from '../src/auth/index.ts';
import { createMcpDoor } from '../src/doors/mcp/index.ts';
import { configFrom } from '../src/config.ts';
import { createAddress, createLimits, createOriginGuard, createServer } from '../src/http/index.ts';
import { initBody, openGateway, type FixtureOptions, type GatewayFixture } from './gateway-fixture.ts';
import { send, type Got, type Sent } from './server.ts';

/** The door on a real gateway with a stopped clock; bearers are names that the test knows. */
export interface McpFixture extends Omit<GatewayFixture, 'crash' | 'close'> {
  url: string;
  app: FastifyInstance;
  /** Another server on the same store, as after a crash; this one must not be used again. */
  restart(): Promise<McpFixture>;
  /** Takes a bearer back: what is open with it ends. */
  revoke(bearer: string): void;
  send(sent?: Sent & { path?: string }): Promise<Got>;
  /** One message as `bearer` (Ada's, for everything, unless said otherwise). */
  post(
    body: unknown,
    more?: { bearer?: string; path?: string; headers?: Record<string, string> },
  ): Promise<Got>;
}

const everything: Access['scopes'] = [
  'filesystemRead',
  'filesystemWrite',
  'shell',
  'computer',
  'browser',
  'mcp',
  'system',
];

const access = (userId: string, tokenId: string, scopes = everything): Access => ({
  kind: 'token',
  userId,
  tokenId,
  name: tokenId,
  scopes,
});

export const bearers: Record<string, Access> = {
  ada: access('ada', 'ada-all'),
  'ada-other': access('ada', 'ada-other'),
  'ada-reads': access('ada', 'ada-reads', ['filesystemRead']),
  /** The first one, once it may do less. */
  'ada-narrowed': access('ada', 'ada-all', ['filesystemRead']),
  bob: access('bob', 'bob-all'),
};

export const bothTypes = { accept: 'application/json, text/event-stream' };

type McpOptions = FixtureOptions & { publicUrl?: string };

const serve = async (fixture: GatewayFixture, options: McpOptions): Promise<McpFixture> => {
  const grants = new Map(Object.entries(bearers));
  const watching = new Map<Access, Set<() => void>>();
  const accessControl: AccessControl = {
    verify: async (bearer) => grants.get(bearer) ?? null,
    whyRefused: async () => 'unknown',
    onRevoked: (granted, ended) => {
      const listeners = watching.get(granted) ?? new Set();
      watching.set(granted, listeners.add(ended));
      return () => void listeners.delete(ended);
    },
  };
  const address = createAddress({ host: '127.0.0.1', port: 0, publicUrl: options.publicUrl });
  const app = await createServer({
    log: pino({ level: 'silent' }),
    trustProxy: [],
    secure: false,
    longestAnswerMs: 60_000,
  });
  const config = configFrom({ PAIRING_PER_MINUTE: '1000', TOKEN_PER_MINUTE: '1000000' });
  const limits = createLimits({ clock: fixture.clock, config });
  await app.register(
    createMcpDoor({
      gateway: fixture.gateway,
      access: accessControl,
      limits,
      clock: fixture.clock,
      settings: { streamsPerUser: 5, waitMs: 50_000 },
      secret: 's'.repeat(43),
      site: { url: address.url, guard: createOriginGuard(address) },
      onError: (error) => void fixture.errors.push(error),
    }),
  );
  const listened = await app.listen({ host: '127.0.0.1', port: 0 });
  address.listening(Number(new URL(listened).port));
  onTestFinished(() => app.close());

  const sendTo: McpFixture['send'] = ({ path = '/mcp', ...sent } = {}) => send(listened + path, sent);
  return {
    ...fixture,
    url: listened,
    app,
    restart: async () => {
      const after = await fixture.crash();
      app.server.closeAllConnections();
      await app.close();
      return serve(after, options);
    },
    revoke: (bearer) => {
      const granted = grants.get(bearer);
      grants.delete(bearer);
      for (const ended of granted ? (watching.get(granted) ?? []) : []) ended();
    },
    send: sendTo,
    post: (body, { bearer = 'ada', path = '/mcp', headers = {} } = {}) =>
      sendTo({
        path,
        method: 'POST',
        headers: { ...bothTypes, authorization: `Bearer ${bearer}`, ...headers },
        body,
      }),
  };
};

export const openMcp = async (options: McpOptions = {}): Promise<McpFixture> => {
  const fixture = await openGateway(options);
  onTestFinished(fixture.close);
  return serve(fixture, options);
};

/** All that a message answers with: the body, or the events of a stream in their order. */
export const messagesIn = (text: string): unknown[] =>
  text.startsWith('{')
    ? [JSON.parse(text)]
    : text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line): unknown => JSON.parse(line.slice('data: '.length)));

/** What a message answers with: the body, or the last event of a stream. */
export const messageOf = ({ json, text }: Got): unknown => json ?? messagesIn(text).at(-1);

/** A machine that answers each call at once. */
export const connectAnswering = async (
  { gateway, errors }: McpFixture,
  userId: string,
  options: { body?: InitBody; answer(request: ToolRequest): ResponseBody | Promise<ResponseBody> },
): Promise<{ key: string; requests: ToolRequest[] }> => {
  const { token } = await gateway.pairing.createLink(userId);
  const { sessionKey: key = '' } = await gateway.daemon.init(token, options.body ?? initBody());
  const requests: ToolRequest[] = [];
  const answer = async (request: ToolRequest) => {
    const body = await options.answer(request);
    await gateway.daemon.respond(key, request.requestId, body);
  };
  await gateway.daemon.openStream(key, {
    send: (_frame, event) => {
      if (event.type === 'filesystem-request') {
        requests.push(event.payload);
        answer(event.payload).catch((error: unknown) => errors.push(error));
      }
      return true;
    },
    ready: () => Promise.resolve(),
    close: () => {},
  });
  return { key, requests };
};

/** The parameters of a request; `_meta` joins what the revision puts there. */
export interface RequestParams {
  name?: string;
  _meta?: object;
  [name: string]: unknown;
}

/** A request of revision 2025-11-25. */
export const olderRequest = (method: string, params: RequestParams = {}, id: unknown = 1) => ({
  body: { jsonrpc: '2.0', id, method, params },
  headers: { 'mcp-protocol-version': '2025-11-25' },
});

const stateless = '2026-07-28';

/** What revision 2026-07-28 asks of every request. */
const envelope = {
  'io.modelcontextprotocol/protocolVersion': stateless,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of revision 2026-07-28, with the headers that it asks for. */
export const modernRequest = (method: string, { _meta, ...params }: RequestParams = {}, id: unknown = 1) => ({
  body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...envelope, ..._meta } } },
  headers: {
    'mcp-protocol-version': stateless,
    'mcp-method': method,
    ...(params.name !== undefined && { 'mcp-name': params.name }),
  },
});

/** Both revisions, each with what makes its requests. */
export const eras = [
  ['2025-11-25', olderRequest],
  ['2026-07-28', modernRequest],
] as const;
