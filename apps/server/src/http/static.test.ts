import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { errorHandler } from './errors.ts';
import { serveNotFound } from './not-found.ts';
import { watchRoutes } from './routes.ts';
import { serveStatic } from './static.ts';

const serve = async (files: Record<string, string>) => {
  const root = mkdtempSync(join(tmpdir(), 'drawbridge-static-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const warnings: string[] = [];
  const app = fastify({ logger: { level: 'warn', stream: { write: (line) => void warnings.push(line) } } });
  app.setErrorHandler(errorHandler);
  const servePage = await serveStatic(app, { panelDir: join(root, 'panel'), routes: watchRoutes(app) });
  for (const url of ['/api/v1/calls', '/trpc/:path']) app.post(url, async () => '');
  const uncounted = async () => {};
  serveNotFound(app, { servePage, limit: { count: uncounted, check: uncounted } });
  onTestFinished(async () => {
    await app.close();
    expect(warnings).toEqual([]);
    rmSync(root, { recursive: true });
  });
  return (url: string, accepts = 'identity', accept = 'text/html,*/*;q=0.8') =>
    app.inject({ url, headers: { 'accept-encoding': accepts, accept } });
};

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof serve>>>>;
const asSeen = ({ statusCode, headers, body }: Answer) => [statusCode, headers['cache-control'], body];

const built = {
  'panel/index.html': 'page',
  'panel/assets/app-1a2b.js': 'script',
  'panel/favicon.svg': 'icon',
  'panel/.hidden': 'secret',
  'outside.txt': 'secret',
};
const notFound = [404, 'no-store', '{"code":"NOT_FOUND","message":"Not found"}'];

it.each([
  ['/', [200, 'no-store', 'page']],
  ['/index.html', [200, 'no-store', 'page']],
  ['/activity', [200, 'no-store', 'page']],
  ['/setup?from=here', [200, 'no-store', 'page']],
  ['/favicon.svg', [200, 'no-store', 'icon']],
  ['/assets/app-1a2b.js', [200, 'public, max-age=31536000, immutable', 'script']],
  ['/assets/gone', notFound],
  ['/assets/gone.js', notFound],
  ['/.hidden', notFound],
  ['/.git/config', notFound],
  ['/api/nothing', notFound],
  ['/trpc', notFound],
  ['/metrics', notFound],
  ['/%2e%2e/outside.txt', notFound],
  ['/..%2foutside.txt', notFound],
])('serves %s', async (path, expected) => {
  const get = await serve(built);
  expect(asSeen(await get(path))).toEqual(expected);
});

it('serves no page to a program', async () => {
  const get = await serve(built);
  for (const path of ['/status', '/activity', '/metrics/prometheus'])
    expect(asSeen(await get(path, 'identity', '*/*'))).toEqual(notFound);
  // As the service worker asks for it.
  for (const accepts of ['identity', 'gzip, deflate, br'])
    expect(asSeen(await get('/', accepts, '*/*'))).toEqual([200, 'no-store', 'page']);
});

it('serves no page before the first build', async () => {
  const get = await serve({});
  expect(asSeen(await get('/'))).toEqual(notFound);
});

it.each([
  ['/assets/app-1a2b.js', 'gzip, deflate, br', 'br', 'script in br'],
  ['/assets/app-1a2b.js', 'gzip', 'gzip', 'script in gz'],
  ['/assets/app-1a2b.js', 'identity', undefined, 'script'],
  ['/activity', 'br', 'br', 'page in br'],
  ['/favicon.svg', 'br', undefined, 'icon'],
])('sends %s to a reader of %s in the form %s', async (path, accepts, encoding, body) => {
  const get = await serve({
    ...built,
    'panel/index.html.br': 'page in br',
    'panel/assets/app-1a2b.js.br': 'script in br',
    'panel/assets/app-1a2b.js.gz': 'script in gz',
  });
  const { headers, body: sent } = await get(path, accepts);
  const { 'cache-control': caching } = (await get(path)).headers;
  expect([headers['content-encoding'], sent, headers['cache-control']]).toEqual([encoding, body, caching]);
  expect(headers.vary).toMatch(/accept-encoding/i);
});
