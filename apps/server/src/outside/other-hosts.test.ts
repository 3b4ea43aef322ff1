import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { leadTo } from '../../test/document-site.ts';
import { createConnections, createOriginFetch, readLimited, systemNetwork } from './index.ts';

/** A server on loopback that redirects to itself. */
const openRedirecting = async () => {
  const asked: Pick<IncomingMessage, 'method' | 'url' | 'headers'>[] = [];
  const server = createServer((request, reply) => {
    asked.push(request);
    reply.writeHead(302, { location: '/elsewhere' }).end('moved');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { port, asked };
};

const { signal } = new AbortController();

it('anywhere: a request arrives as it was given, with the name and password of its URL', async () => {
  const { port, asked } = await openRedirecting();
  const { send, close } = createConnections(systemNetwork, { reach: 'anywhere' });
  onTestFinished(close);
  const body = Buffer.from('{}');
  const url = new URL(`http://ada:p%40ss@127.0.0.1:${port}/hook?a=b`);
  const answer = await send(url, { method: 'POST', headers: { 'x-signature': 's' }, body, signal });
  expect([answer.statusCode, (await readLimited(answer.body, 5)).toString()]).toEqual([302, 'moved']);
  expect(asked.map(({ method, url: path, headers }) => [method, path, headers])).toEqual([
    [
      'POST',
      '/hook?a=b',
      {
        host: `127.0.0.1:${port}`,
        connection: 'close',
        authorization: `Basic ${Buffer.from('ada:p@ss').toString('base64')}`,
        'x-signature': 's',
        'content-length': '2',
      },
    ],
  ]);
});

it.each([
  'http://ok.example/',
  'https://127.0.0.1/',
  'https://[::ffff:169.254.169.254]/',
  'https://metadata.google.internal/',
  'https://intranet/',
])('US-15 internet: %s is refused before any look-up', async (url) => {
  const { port, asked } = await openRedirecting();
  const resolved: string[] = [];
  const { send, close } = createConnections(leadTo({ port, names: {}, resolved }), { reach: 'internet' });
  onTestFinished(close);
  await expect(send(new URL(url), { headers: {}, signal })).rejects.toThrow('The address is not public');
  expect([resolved, asked]).toEqual([[], []]);
});

it('SS-04 one origin: a redirect fails, and the host of it is not asked', async () => {
  const { port, asked } = await openRedirecting();
  const origin = `http://127.0.0.1:${port}`;
  await expect(createOriginFetch(origin)(`${origin}/v1`)).rejects.toMatchObject({ why: 'redirect' });
  expect(asked.map(({ url }) => url)).toEqual(['/v1']);
});

it('SS-10 another origin is not asked', async () => {
  const { port, asked } = await openRedirecting();
  const url = `http://127.0.0.1:${port}/`;
  await expect(createOriginFetch(`https://127.0.0.1:${port}`)(url)).rejects.toMatchObject({ why: 'origin' });
  await expect(createOriginFetch('http://ok.example')(new Request(url))).rejects.toMatchObject({
    why: 'origin',
  });
  expect(asked).toEqual([]);
});
