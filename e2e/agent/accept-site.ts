import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const html = { 'content-type': 'text/html' };
const page = (text: string) => (reply: ServerResponse) => void reply.writeHead(200, html).end(text);

function* endless() {
  for (;;) yield 'x'.repeat(64 * 1024);
}

const publicAddress = '93.184.216.34';
const deep = 5_000;

/** The sites of the test by name. */
const sites: Record<string, (reply: ServerResponse) => void> = {
  'good.example': page('<p>A good page</p>'),
  'moved.example': (reply) => reply.writeHead(302, { location: 'http://other.example/there' }).end(),
  'other.example': page('<p>Another page</p>'),
  'evil.example': page('<p>Got it</p>'),
  'rebind.example': page('<p>A page with two addresses</p>'),
  'bomb.example': (reply) => {
    reply.writeHead(200, { ...html, 'content-encoding': 'gzip' });
    reply.end(gzipSync(Buffer.alloc(50 * 1024 * 1024)));
  },
  'endless.example': (reply) => {
    reply.writeHead(200, html);
    Readable.from(endless()).pipe(reply);
  },
  'nested.example': page(`${'<div>'.repeat(deep)}the innermost text${'</div>'.repeat(deep)}`),
};

/** Names with other addresses than the public one: a list for each look-up. */
const addresses: Record<string, string[][]> = {
  'rebind.example': [[publicAddress], ['127.0.0.1']],
  'mixed.example': [[publicAddress, '10.0.0.1']],
  'metadata.example': [['169.254.169.254']],
};

export interface WebSite {
  /** Host and path of each request. */
  asked: string[];
  /** For a server whose names lead here. */
  env: Record<string, string>;
  nodeFlags: string[];
  close(): Promise<void>;
}

/** Public sites for a server process: its names resolve as above, and its connections end here. */
export const openWebSite = async (): Promise<WebSite> => {
  const asked: string[] = [];
  const server = createServer(({ headers: { host = '' }, url }, reply) => {
    asked.push(`${host}${url}`);
    (sites[host] ?? page('<p>No such site</p>'))(reply);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the site has no port');
  const names = Object.fromEntries(
    ['sub.good.example', ...Object.keys(sites), ...Object.keys(addresses)].map((name) => [
      name,
      addresses[name] ?? [[publicAddress]],
    ]),
  );
  return {
    asked,
    env: { TEST_NAMES: JSON.stringify({ names, port: address.port }) },
    nodeFlags: ['--import', fileURLToPath(new URL('accept-names.mjs', import.meta.url))],
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
