import { request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Readable, type Writable } from 'node:stream';
import { checkServerIdentity, connect, type TLSSocket } from 'node:tls';
import { canonicalAddress } from '../../common/network/address.ts';
import { Unserved } from './unserved.ts';
import type { Login } from './login.ts';
import { createPushReader, type RefChange } from './push-commands.ts';
import { plainPath, type GitAccess } from './repositories.ts';

const services: Record<string, GitAccess> = { 'git-upload-pack': 'fetch', 'git-receive-pack': 'push' };

/** A request of git's smart protocol, gitprotocol-http(5). */
export interface GitRequest {
  host: string;
  /** As it was written, which the host gets, and as grants name it. */
  written: string;
  path: string;
  service: string;
  access: GitAccess;
  isListing: boolean;
}

const listing = /^\/([^/?#]+)\/([^?#]+)\/info\/refs\?service=(git-upload-pack|git-receive-pack)$/;
const exchange = /^\/([^/?#]+)\/([^?#]+)\/(git-upload-pack|git-receive-pack)$/;

/** Undefined for everything that git does not need: other files, methods, queries and services. */
export const readGitRequest = (method: string | undefined, url: string): GitRequest | undefined => {
  const isListing = method === 'GET';
  if (!isListing && method !== 'POST') return undefined;
  const [, host, written = '', service = ''] = (isListing ? listing : exchange).exec(url) ?? [];
  const [path, access] = [plainPath(written), services[service]];
  if (host === undefined || path === undefined || access === undefined) return undefined;
  return { host, written, path, service, access, isListing };
};

/** The one version that git names, and how its body came; nothing else of a command's headers passes. */
const passed: Record<string, RegExp> = {
  'git-protocol': /^version=[012]$/,
  'content-encoding': /^gzip$/,
  'content-length': /^\d{1,15}$/,
};

const headersFor = (
  { headers }: IncomingMessage,
  { host, service, isListing }: GitRequest,
  { username, password }: Login,
): Record<string, string> => ({
  Host: host,
  'User-Agent': 'git/2.0 (drawbridge)',
  Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
  Accept: isListing ? '*/*' : `application/x-${service}-result`,
  // The one encoding of which an answer passes; every git reads it.
  'Accept-Encoding': 'gzip',
  ...(!isListing && { 'Content-Type': `application/x-${service}-request` }),
  ...Object.fromEntries(
    Object.entries(passed).flatMap(([name, form]) => {
      const value = headers[name];
      return typeof value === 'string' && form.test(value) ? [[name, value]] : [];
    }),
  ),
});

/** The bytes up to the pack, once it is known that they delete nothing. Throws `Unserved`. */
export const readPush = async (from: Readable): Promise<{ held: Buffer[]; changes: RefChange[] }> => {
  const reader = createPushReader();
  const held: Buffer[] = [];
  for await (const chunk of from.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) break;
    held.push(chunk);
    const verdict = reader.add(chunk);
    if (verdict.kind === 'wrong') throw new Unserved(verdict.why);
    if (verdict.kind === 'right') return { held, changes: verdict.changes };
  }
  throw new Unserved('invalid');
};

/** TLS over a connection that stands. Rejects where the certificate is not the host's. */
const secure = (
  remote: Socket,
  { hostname, authorities }: { hostname: string; authorities: readonly string[] | undefined },
): Promise<TLSSocket> =>
  new Promise((resolve, reject) => {
    const link = connect({
      socket: remote,
      ALPNProtocols: ['http/1.1'],
      checkServerIdentity: (_name, certificate) => checkServerIdentity(hostname, certificate),
      ...(canonicalAddress(hostname) === undefined && { servername: hostname }),
      ...(authorities && { ca: [...authorities] }),
    });
    link.once('secureConnect', () => resolve(link));
    link.once('error', () => reject(new Unserved('certificate')));
    link.once('close', () => reject(new Unserved('unreachable')));
  });

const answerFor = (status: number): Unserved => {
  if (status >= 300 && status < 400) return new Unserved('redirect');
  if (status === 401 || status === 403) return new Unserved('login');
  return new Unserved(status === 404 ? 'missing' : 'answer');
};

export interface Forwarded {
  wanted: GitRequest;
  hostname: string;
  remote: Socket;
  login: Login;
  authorities: readonly string[] | undefined;
  /** What the body begins with, where it was read already. */
  held: readonly Buffer[];
}

/** Sends one request with the login, and the answer back without its headers. Throws `Unserved`. */
export const forwardGit = async (
  incoming: IncomingMessage,
  answer: ServerResponse,
  { wanted, hostname, remote, login, authorities, held }: Forwarded,
): Promise<void> => {
  const link = await secure(remote, { hostname, authorities });
  const { service, written, isListing } = wanted;
  const path = isListing ? `/${written}/info/refs?service=${service}` : `/${written}/${service}`;
  const outgoing = sendRequest({
    method: isListing ? 'GET' : 'POST',
    path,
    headers: headersFor(incoming, wanted, login),
    setHost: false,
    createConnection: () => link,
  });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', () => reject(new Unserved('unreachable')));
    sendBody(incoming, outgoing, held);
  });
  const status = response.statusCode ?? 502;
  if (status !== 200) throw answerFor(status);
  const type = `application/x-${service}-${isListing ? 'advertisement' : 'result'}`;
  if (response.headers['content-type'] !== type) throw new Unserved('answer');
  const encoding = response.headers['content-encoding'];
  answer.sendDate = false;
  answer.shouldKeepAlive = false;
  answer.writeHead(200, {
    'Content-Type': type,
    'Cache-Control': 'no-cache',
    ...(encoding === 'gzip' && { 'Content-Encoding': encoding }),
  });
  await new Promise<void>((resolve) => void pipeline(response, answer, () => resolve()));
};

const sendBody = (incoming: IncomingMessage, outgoing: Writable, held: readonly Buffer[]): void => {
  for (const chunk of held) outgoing.write(chunk);
  if (incoming.readableEnded || incoming.method === 'GET') outgoing.end();
  else pipeline(incoming, outgoing, () => undefined);
};
