import { once } from 'node:events';
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createProviderToken } from '../../jwt/index.ts';
import { createDeadline, readLimited } from '../../outside/index.ts';
import { topicOf } from '../send-push.ts';
import type { MobileSender, Sent } from './mobile-sender.ts';

const answerWithinMs = 10_000;
const answerMaxBytes = 64 * 1_024;
/** Apple wants one connection for many messages. */
const idleMs = 60_000;

interface Needs {
  clock: Clock;
  url: string;
  pem: string;
  keyId: string;
  teamId: string;
  topic: string;
}

const refusal = z.object({ reason: z.string().max(100) });

/** One connection, opened when it is needed; it keeps no process. */
const createSession = (url: string) => {
  let current: ClientHttp2Session | null = null;
  return (): ClientHttp2Session => {
    if (current !== null && !current.closed && !current.destroyed) return current;
    const session = connect(url);
    session.unref();
    session.on('error', () => {});
    session.on('goaway', () => session.close());
    session.setTimeout(idleMs, () => session.close());
    current = session;
    return session;
  };
};

const toSent = (status: number, body: string): Sent => {
  if (status === 200) return { kind: 'sent' };
  if (status === 410) return { kind: 'gone' };
  const reason = refusal.safeParse(jsonOf(body)).data?.reason ?? '';
  return { kind: 'failed', why: `HTTP ${status} ${reason}`.trim() };
};

/** Sends to devices of Apple. Throws for a key that cannot be read. */
export const openApns = async ({ topic, url, ...key }: Needs): Promise<MobileSender> => {
  const { clock } = key;
  const providerToken = await createProviderToken(key);
  const open = createSession(url);

  const post = async (headers: OutgoingHttpHeaders, body: string, signal: AbortSignal): Promise<Sent> => {
    const stream = open().request(headers, { signal });
    stream.end(body);
    const [head] = (await once(stream, 'response', { signal })) as [{ ':status'?: number }];
    return toSent(head[':status'] ?? 0, String(await readLimited(stream, answerMaxBytes)));
  };

  return async (token, { message, ttlSeconds }) => {
    const deadline = createDeadline({ clock, ms: answerWithinMs });
    const headers = {
      ':method': 'POST',
      ':path': `/3/device/${encodeURIComponent(token)}`,
      authorization: `bearer ${await providerToken()}`,
      'apns-topic': topic,
      'apns-push-type': 'alert',
      'apns-priority': '10',
      'apns-expiration': String(Math.floor(clock.now() / 1_000) + ttlSeconds),
      'apns-collapse-id': topicOf(message),
    };
    const { title, id, path } = message;
    const body = JSON.stringify({ aps: { alert: { title }, sound: 'default' }, id, path });
    try {
      return await post(headers, body, deadline.signal);
    } catch {
      return { kind: 'failed', why: deadline.isOver() ? 'no answer within 10 seconds' : 'not reachable' };
    } finally {
      deadline.stop();
    }
  };
};
