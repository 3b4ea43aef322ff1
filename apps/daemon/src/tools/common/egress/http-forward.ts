import { request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { Refused } from './refusal.ts';

/** RFC 9110 7.6.1, and what clients say to proxies. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

type Header = [name: string, value: string];

const pairsOf = (raw: readonly string[]): Header[] =>
  raw.flatMap((name, at): Header[] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));

/** Without headers of this connection alone, which `Connection` may name too. */
const endToEnd = (raw: readonly string[]): Header[] => {
  const all = pairsOf(raw);
  const named = all
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((word) => word.trim().toLowerCase()));
  const dropped = new Set([...hopByHop, ...named]);
  // These are written for the host that was checked, whatever `Connection` says of them.
  for (const name of ['host', 'content-length']) dropped.delete(name);
  return all.filter(([name]) => !dropped.has(name.toLowerCase()));
};

const isBodiless = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] === undefined && headers['transfer-encoding'] === undefined;

/** Sends one request over a connection of its own, and its answer back. Throws `Refused`. */
export const forwardRequest = (
  incoming: IncomingMessage,
  answer: ServerResponse,
  { remote, path }: { remote: Socket; path: string },
): Promise<void> => {
  const encoding = incoming.headers['transfer-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') throw new Refused('request');
  const headers = endToEnd(incoming.rawHeaders);
  if (encoding !== undefined) headers.push(['Transfer-Encoding', 'chunked']);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      method: incoming.method,
      path,
      headers: headers.flat(),
      setHost: false,
      createConnection: () => remote,
    });
    const fail = () => reject(new Refused('unreachable'));
    outgoing.once('error', fail);
    outgoing.once('close', resolve);
    outgoing.once('response', (response) => {
      answer.sendDate = false;
      answer.shouldKeepAlive = false;
      answer.writeHead(
        response.statusCode ?? 502,
        response.statusMessage,
        endToEnd(response.rawHeaders).flat(),
      );
      pipeline(response, answer, () => resolve());
    });
    answer.once('close', () => remote.destroy());
    if (isBodiless(incoming)) outgoing.end();
    else pipeline(incoming, outgoing, () => undefined);
  });
};
