import type { ProbeBody } from '@drawbridge/contracts/daemon-event';
import type { ServerFeature } from '@drawbridge/contracts/daemon-info';
import {
  daemonMounts,
  daemonPaths,
  gatewayEpochHeader,
  gatewayKeyHeader,
} from '@drawbridge/contracts/daemon-paths';
import {
  initReply,
  progressReply,
  responsesReply,
  settledReply,
  toolsReply,
  type InitReply,
  type ResponsesReply,
} from '@drawbridge/contracts/daemon-reply';
import type {
  DisconnectBody,
  InitBody,
  ProgressBody,
  SettledBody,
  ToolsBody,
} from '@drawbridge/contracts/daemon-surface';
import type { ProcessesBody } from '@drawbridge/contracts/machines/processes';
import type { RuntimeList } from '@drawbridge/contracts/machines/runtimes';
import type { RulesBody } from '@drawbridge/contracts/rule-list';
import type { Clock } from '@drawbridge/kit';
import type { z } from 'zod';
import { parseJson } from '../text/parse-json.ts';
import { networkFailure, responseFailure } from './failure.ts';
import type { Answer, Http, HttpRequest } from './http.ts';
import { postInit, knownEpoch, type KnownEpoch } from './init.ts';
import type { Reply, Result } from './reply.ts';
import { createSocketPosts, type SocketPosts } from './socket-posts.ts';

const maxReplyBytes = 1024 * 1024;

/** What a route that is not there is answered with. */
const goneStatuses = new Set([404, 405]);

/** One body for several results. Each has at least one entry, and the id goes in front of it. */
const joinBodies = (results: readonly Result[]): string =>
  `{"responses":[${results.map(({ requestId, body }) => `{"requestId":"${requestId}",${body.slice(1)}`).join(',')}]}`;

const isOfThese = ({ responses }: ResponsesReply, results: readonly Result[]): boolean =>
  responses.length === results.length &&
  responses.every(({ requestId }, at) => requestId === results[at]?.requestId);

/** What the server says of one of several results, as it would have said it of one that came alone. */
const toReply = (verdict: ResponsesReply['responses'][number]): Reply<null> => {
  if ('ok' in verdict) return { ok: true, value: null };
  const { status, message } = verdict;
  return { ok: false, failure: { kind: 'network', sentence: `${message} (HTTP ${status})` }, status };
};

interface KnownServer {
  http: Http;
  /** Takes posts while the link has a socket. */
  posts: SocketPosts;
  epoch?: number | undefined;
  features: readonly string[];
  /**
   * `ours`: an init of this process was answered with something beyond the specification, and it stays so.
   * Null before the first answer.
   */
  kind: 'ours' | 'specification' | null;
  /** Of the newest event since the last init. */
  lastEventId: string | null;
}

/** How the event stream is asked for. */
export interface StreamRequest {
  path: string;
  headers: Record<string, string>;
}

/** What fits into a header as it is. */
const plainId = /^[\x21-\x7e]{1,200}$/;

const isOurs = ({ epoch, features, warnings }: InitReply): boolean =>
  [epoch, features, warnings].some((announced) => announced !== undefined);

const headersFor = ({ epoch }: KnownServer, key: string): Record<string, string> => ({
  [gatewayKeyHeader]: key,
  ...(epoch === undefined ? {} : { [gatewayEpochHeader]: String(epoch) }),
});

interface Post extends Pick<HttpRequest, 'path' | 'signal'> {
  key: string;
  /** JSON. */
  body: string;
}

const postAlone = (server: KnownServer, { key, path, ...rest }: Post): Promise<Answer> =>
  server.http.request({
    ...rest,
    method: 'POST',
    path: daemonMounts.bare + path,
    headers: { ...headersFor(server, key), accept: 'application/json' },
  });

const exchange = async <T>(
  server: KnownServer,
  { key, path, ...rest }: Post,
  read: (response: Answer) => Promise<Reply<T>>,
): Promise<Reply<T>> => {
  try {
    const response = await (server.posts.post(path, rest.body) ?? postAlone(server, { key, path, ...rest }));
    if (response.status >= 200 && response.status < 300) return await read(response);
    return { ok: false, failure: await responseFailure(response), status: response.status };
  } catch (error) {
    return { ok: false, failure: networkFailure(error), status: null };
  }
};

const strange = (response: Answer): Reply<never> => ({
  ok: false,
  failure: { kind: 'network', sentence: 'this is not the answer of a Drawbridge server' },
  status: response.status,
});

const isJson = (response: Answer) => response.header('content-type').startsWith('application/json');

const readOk = async (response: Answer): Promise<Reply<null>> => {
  if (!isJson(response)) return strange(response);
  await response.text(maxReplyBytes);
  return { ok: true, value: null };
};

const readAs =
  <T>(schema: z.ZodType<T>) =>
  async (response: Answer): Promise<Reply<T>> => {
    const value = isJson(response) ? parseJson(schema, await response.text(maxReplyBytes)) : undefined;
    return value === undefined ? strange(response) : { ok: true, value };
  };

const isAnswering = async (http: Http, signal: AbortSignal): Promise<boolean> => {
  try {
    const response = await http.request({ method: 'GET', path: '/health', signal });
    await response.text(1_024);
    return true;
  } catch {
    return false;
  }
};

const postAll = async (
  server: KnownServer,
  key: string,
  results: readonly Result[],
): Promise<Reply<Reply<null>[]>> => {
  const request = { key, path: daemonPaths.responses, body: joinBodies(results) };
  const reply = await exchange(server, request, async (response) => {
    const read = await readAs(responsesReply)(response);
    return read.ok && !isOfThese(read.value, results) ? strange(response) : read;
  });
  if (reply.ok) return { ok: true, value: reply.value.responses.map(toReply) };
  // Another server answers at this address now.
  if (reply.status !== null && goneStatuses.has(reply.status))
    server.features = server.features.filter((feature) => feature !== 'responses');
  return reply;
};

/** The server's daemon routes. Nothing here throws: failures are replies. */
export const createServerApi = (http: Http, clock: Clock, epoch: KnownEpoch = knownEpoch()) => {
  const posts = createSocketPosts(clock);
  const server: KnownServer = { http, posts, features: [], kind: null, lastEventId: null };
  const has = (feature: ServerFeature) => server.features.includes(feature);
  const at = (path: string, requestId: string) => path.replace(':requestId', requestId);
  const post = <T>(
    { body, ...request }: { key: string; path: string; body: object; signal?: AbortSignal },
    read: (response: Answer) => Promise<Reply<T>>,
  ) => exchange(server, { ...request, body: JSON.stringify(body) }, read);

  return {
    /** Who asks: the key, and the epoch of the last init where the server counts them. */
    headers: (key: string) => headersFor(server, key),
    posts,
    hasSocket: () => has('socket'),
    /** A server of the specification alone may read the key in the URL only; no other gets it there. */
    streamRequest: (key: string): StreamRequest => {
      const { kind, lastEventId } = server;
      const path = daemonMounts.bare + daemonPaths.events;
      return {
        path: kind === 'specification' ? `${path}?apiKey=${encodeURIComponent(key)}` : path,
        headers: {
          ...headersFor(server, key),
          ...(lastEventId !== null && { 'last-event-id': lastEventId }),
        },
      };
    },
    /** The id of an event of the stream: the next one, if it needs no init, continues from there. */
    eventRead: (id: string) => {
      if (plainId.test(id)) server.lastEventId = id;
    },
    init: async (key: string, body: InitBody, signal: AbortSignal) => {
      const postOne = (sent: InitBody) =>
        post({ key, path: daemonPaths.init, body: sent, signal }, readAs(initReply));
      const reply = await postInit({ epoch, post: postOne }, body);
      if (reply.ok) {
        server.epoch = reply.value.epoch;
        server.features = reply.value.features ?? [];
        server.kind = server.kind === 'ours' || isOurs(reply.value) ? 'ours' : 'specification';
        server.lastEventId = null;
      }
      return reply;
    },
    tools: (key: string, body: ToolsBody) => post({ key, path: daemonPaths.tools, body }, readAs(toolsReply)),
    /** `body` is the JSON text of a `ResponseBody`. */
    respond: (key: string, requestId: string, body: string) =>
      exchange(server, { key, path: at(daemonPaths.response, requestId), body }, readOk),
    /** Several at once, with the server's answer to each, in order; for a server that `takesSeveral`. */
    respondAll: (key: string, results: readonly Result[]) => postAll(server, key, results),
    takesSeveral: () => has('responses'),
    progress: (key: string, requestId: string, body: ProgressBody) =>
      post({ key, path: at(daemonPaths.progress, requestId), body }, readAs(progressReply)),
    probe: (key: string, body: ProbeBody) => post({ key, path: daemonPaths.probe, body }, readOk),
    rules: (key: string, requestId: string, body: RulesBody) =>
      post({ key, path: at(daemonPaths.rules, requestId), body }, readOk),
    processes: (key: string, requestId: string, body: ProcessesBody) =>
      post({ key, path: at(daemonPaths.processes, requestId), body }, readOk),
    runtimes: (key: string, requestId: string, body: RuntimeList) =>
      post({ key, path: at(daemonPaths.runtimes, requestId), body }, readOk),
    /** Says which open questions a rule covers now; for a server that `settles`. */
    settled: (key: string, body: SettledBody) =>
      post({ key, path: daemonPaths.settled, body }, readAs(settledReply)),
    settles: () => has('settled'),
    disconnect: (key: string, signal: AbortSignal) =>
      post({ key, path: daemonPaths.disconnect, body: {}, signal }, readOk),
    /** Whether the server answers at all; no key is sent. */
    isThere: (signal: AbortSignal) => isAnswering(http, signal),
    /**
     * Goes offline, and keeps the key where the server can: one of the specification alone ends the pairing,
     * as that asks for. Whether it ended; to any other server without the feature nothing is sent.
     */
    leave: async (key: string, signal: AbortSignal): Promise<{ endedPairing: boolean }> => {
      const request = { key, path: daemonPaths.disconnect, signal };
      const body: DisconnectBody = { keepSession: true };
      if (has('keep-session')) await post({ ...request, body }, readOk);
      if (server.kind !== 'specification') return { endedPairing: false };
      return { endedPairing: (await post({ ...request, body: {} }, readOk)).ok };
    },
  };
};

export type ServerApi = ReturnType<typeof createServerApi>;
