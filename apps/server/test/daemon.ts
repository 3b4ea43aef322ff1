import { get } from 'node:http';
import { daemonEvent, type DaemonEvent } from '@drawbridge/contracts/daemon-event';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { onTestFinished } from 'vitest';
import { send, type Got, type TestServer } from './server.ts';

export interface StreamFrame {
  id: string;
  event: DaemonEvent;
}

/** A stream as a daemon reads it. */
export interface TestStream {
  status: number;
  headers: Record<string, unknown>;
  /** The next frame; waits for it. */
  next(): Promise<StreamFrame>;
  /** All text so far, comments too. */
  text(): string;
  ended: Promise<void>;
  close(): void;
}

const frameOf = (text: string): StreamFrame | null => {
  const match = /^id: (\d+)\ndata: (.+)$/s.exec(text);
  return match ? { id: match[1] ?? '', event: daemonEvent.parse(JSON.parse(match[2] ?? '')) } : null;
};

export const openStream = (url: string, headers: Record<string, string>): Promise<TestStream> =>
  new Promise((resolve, reject) => {
    const request = get(
      url,
      { headers: { accept: 'text/event-stream', ...headers }, agent: false },
      (incoming) => {
        let text = '';
        let unread = '';
        const frames: StreamFrame[] = [];
        const waiting: ((frame: StreamFrame) => void)[] = [];
        incoming.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
          const parts = (unread + chunk).split('\n\n');
          unread = parts.pop() ?? '';
          for (const part of parts) {
            const frame = frameOf(part);
            if (!frame) continue;
            const hand = waiting.shift();
            if (hand) hand(frame);
            else frames.push(frame);
          }
        });
        const ended = new Promise<void>((done) => incoming.once('close', done).once('error', () => done()));
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          next: () => {
            const frame = frames.shift();
            return frame ? Promise.resolve(frame) : new Promise((hand) => waiting.push(hand));
          },
          text: () => text,
          ended,
          close: () => request.destroy(),
        });
      },
    );
    request.on('error', reject);
    onTestFinished(() => void request.destroy());
  });

/** The specification's daemon and nothing beyond it. */
export interface TestDaemon {
  sessionKey: string;
  stream: TestStream;
  respond(requestId: string, body: unknown): Promise<Got>;
  progress(requestId: string, body: unknown): Promise<Got>;
}

const announcement = {
  rootPath: '/home/person/project',
  hostIdentifier: 'desk',
  tools: [
    { name: 'read_file', description: 'Reads a file', inputSchema: { type: 'object' } },
    { name: 'write_file', description: 'Writes a file', inputSchema: { type: 'object' } },
  ],
  toolCategories: [{ name: 'filesystem', enabled: true, writeAccess: true }],
};

/** Swaps a pairing token for a session key. */
export const initDaemon = async (server: TestServer, token: string, more: object = {}): Promise<string> => {
  const got = await send(`${server.url}${daemonMounts.bare}/init`, {
    method: 'POST',
    headers: { [gatewayKeyHeader]: token },
    body: { ...announcement, ...more },
  });
  const { json } = got;
  if (typeof json !== 'object' || json === null || !('sessionKey' in json))
    throw new Error(`init: ${got.text}`);
  return String(json.sessionKey);
};

/** Pairs and opens the stream. */
export const connectDaemon = async (
  server: TestServer,
  token: string,
  more: object = {},
): Promise<TestDaemon> => {
  const sessionKey = await initDaemon(server, token, more);
  const base = `${server.url}${daemonMounts.bare}`;
  const headers = { [gatewayKeyHeader]: sessionKey };
  const stream = await openStream(`${base}/events`, headers);
  const post = (kind: string) => (requestId: string, body: unknown) =>
    send(`${base}/${kind}/${requestId}`, { method: 'POST', headers, body });
  return { sessionKey, stream, respond: post('response'), progress: post('progress') };
};

/** The call that a frame asks for. */
export const requestOf = ({ event }: StreamFrame) => {
  if (event.type !== 'filesystem-request') throw new Error(`No tool call: ${event.type}`);
  return event.payload;
};
