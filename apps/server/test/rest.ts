import type { Clock } from '@drawbridge/kit';
import type { ToolScope } from '@drawbridge/contracts/groups';
import { EventSource } from 'eventsource';
import { onTestFinished } from 'vitest';
import { connectDaemon, requestOf, type TestDaemon } from './daemon.ts';
import { paired } from './paired.ts';
import { createPanel } from './panel.ts';
import type { Got, Sent, TestServer } from './server.ts';

/** A script with an access token. */
export interface RestClient {
  token: string;
  send(path: string, sent?: Sent): Promise<Got>;
  run(name: string, args?: Record<string, unknown>, headers?: Record<string, string>): Promise<Got>;
}

const restClient = (server: TestServer, token: string): RestClient => {
  const authorization = `Bearer ${token}`;
  const sendIt: RestClient['send'] = (path, sent = {}) =>
    server.send(`/api/v1${path}`, { ...sent, headers: { authorization, ...sent.headers } });
  return {
    token,
    send: sendIt,
    run: (name, args = {}, headers = {}) =>
      sendIt('/calls', { method: 'POST', body: { name, arguments: args }, headers }),
  };
};

/** A script with a new token of the person whose cookie that is. */
export const newRestClient = async (
  server: TestServer,
  cookie: string,
  { name = 'script', scopes = ['filesystemRead'] }: { name?: string; scopes?: ToolScope[] } = {},
): Promise<RestClient> => {
  const { token } = await createPanel(server, cookie).tokens.create.mutate({ name, scopes });
  return restClient(server, token);
};

interface Heard {
  id: string;
  event: string;
  data: unknown;
}

/** Reads the stream of events, with the names of frames that a script knows. */
export const listenRest = (server: TestServer, { token }: RestClient, lastEventId?: string) => {
  const frames: Heard[] = [];
  const waiting: ((frame: Heard) => void)[] = [];
  const source = new EventSource(`${server.url}/api/v1/events`, {
    fetch: (url, init) =>
      fetch(url, {
        ...init,
        headers: {
          ...init.headers,
          authorization: `Bearer ${token}`,
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      }),
  });
  onTestFinished(() => source.close());
  const onEvent = ({ type, lastEventId: id, data }: MessageEvent) => {
    const frame = { id, event: type, data: JSON.parse(String(data)) as unknown };
    const hand = waiting.shift();
    if (hand) hand(frame);
    else frames.push(frame);
  };
  for (const name of ['status', 'call', 'progress']) source.addEventListener(name, onEvent);
  const next = (): Promise<Heard> => {
    const frame = frames.shift();
    return frame ? Promise.resolve(frame) : new Promise((hand) => waiting.push(hand));
  };
  return {
    next,
    /** The next frame that fits, without those before it. */
    until: async (fits: (frame: Heard) => boolean): Promise<Heard> => {
      for (;;) {
        const frame = await next();
        if (fits(frame)) return frame;
      }
    },
    /** Resolves at the first loss of the connection, which it then gives up. */
    lost: new Promise<void>((resolve) => {
      source.onerror = () => {
        source.close();
        resolve();
      };
    }),
    close: () => source.close(),
  };
};

export const text = (content: string) => ({ content: [{ type: 'text', text: content }] });

/** A server with a machine and a script that may only read. */
export const online = async (environment: Record<string, string> = {}, clock?: Clock) => {
  const { server, cookie, panel, token } = await paired(environment, clock);
  const daemon = await connectDaemon(server, token);
  const script = await newRestClient(server, cookie);
  return { server, cookie, panel, daemon, script };
};

/** Answers the next request of the machine's stream. */
export const answerNext = async (daemon: TestDaemon, result: unknown = text('hello')) => {
  const request = requestOf(await daemon.stream.next());
  await daemon.respond(request.requestId, { result });
  return request;
};

/** Status and code of an answer. */
export const codeOf = ({ status, json }: Got) => [status, (json as { code: string }).code];
