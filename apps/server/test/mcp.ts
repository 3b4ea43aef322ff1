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
import { createLossyHub, type Fate } from './lossy-bus.ts';
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
  const limits = createLimits({ clock: fixture.clock, config, shared: null });
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

/** The door at two servers of one store; `fate`: of each message between them. */
export const openTwoMcp = async (fate: () => Fate = () => 'arrives') => {
  const fixture = await openGateway();
  onTestFinished(fixture.close);
  await fixture.gateway.stop();
  const { clock, errors } = fixture;
  const hub = createLossyHub({ clock, fate, onError: (error) => void errors.push(error) });
  const open = async (id: string) => {
    const gateway = await fixture.beside({ clock, bus: hub.open(id, { pollMs: 2_000 }) });
    return serve({ ...fixture, gateway }, {});
  };
  return { one: await open('one'), two: await open('two') };
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

/** The messages of an event stream, as they come. */
const messagesOf = async function* (response: Response) {
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { value, done: isDone } = await reader.read();
    if (isDone) return;
    text += value;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data: {'))
        yield JSON.parse(line.slice('data: '.length)) as Record<string, unknown>;
    }
  }
};

/** A session of revision 2025-11-25, whose client can do that. */
export const openSession = async (mcp: McpFixture, { can = {} as object, bearer = 'ada' } = {}) => {
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: can, clientInfo };
  const got = await mcp.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, { bearer });
  return String(got.headers['mcp-session-id']);
};

/** The messages that answer a call in the session. */
export const callOnStream = async (mcp: McpFixture, session: string | null, params: RequestParams) => {
  const { body, headers } = olderRequest('tools/call', params);
  const response = await fetch(`${mcp.url}/mcp`, {
    method: 'POST',
    headers: {
      ...bothTypes,
      ...headers,
      'content-type': 'application/json',
      authorization: 'Bearer ada',
      ...(session !== null && { 'mcp-session-id': session }),
    },
    body: JSON.stringify(body),
  });
  return messagesOf(response);
};

/** An answer or a notification of the session's client. */
export const answerAsked = (mcp: McpFixture, message: object, { session = '', bearer = 'ada' }) =>
  mcp.post({ jsonrpc: '2.0', ...message }, { bearer, headers: { 'mcp-session-id': session } });
