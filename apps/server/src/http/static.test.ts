import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { errorHandler } from './errors.ts';
import { serveNotFound } from './not-found.ts';
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
  const servePage = await serveStatic(app, {
    panelDir: join(root, 'panel'),
    daemonFile: join(root, 'daemon.tgz'),
  });
  const uncounted = async () => {};
  serveNotFound(app, { servePage, limit: { count: uncounted, check: uncounted } });
  onTestFinished(async () => {
    await app.close();
    expect(warnings).toEqual([]);
    rmSync(root, { recursive: true });
  });
  return async (url: string) => {
    const { statusCode, headers, body } = await app.inject({ url });
    return [statusCode, headers['cache-control'], body];
  };
};

const built = {
  'panel/index.html': 'page',
  'panel/assets/app-1a2b.js': 'script',
  'panel/favicon.svg': 'icon',
  'panel/.hidden': 'secret',
  'outside.txt': 'secret',
  'daemon.tgz': 'packed',
};
const notFound = [404, 'no-store', '{"code":"NOT_FOUND","message":"Not found"}'];

it.each([
  ['/', [200, 'no-store', 'page']],
  ['/index.html', [200, 'no-store', 'page']],
  ['/activity', [200, 'no-store', 'page']],
  ['/setup?from=here', [200, 'no-store', 'page']],
  ['/favicon.svg', [200, 'no-store', 'icon']],
  ['/assets/app-1a2b.js', [200, 'public, max-age=31536000, immutable', 'script']],
  ['/daemon.tgz', [200, 'no-cache', 'packed']],
  ['/assets/gone', notFound],
  ['/assets/gone.js', notFound],
  ['/.hidden', notFound],
  ['/.git/config', notFound],
  ['/api/nothing', notFound],
  ['/trpc', notFound],
  ['/%2e%2e/outside.txt', notFound],
  ['/..%2foutside.txt', notFound],
])('serves %s', async (path, expected) => {
  const get = await serve(built);
  expect(await get(path)).toEqual(expected);
});

it('says what is missing before the first build', async () => {
  const get = await serve({});
  expect(await get('/')).toEqual(notFound);
  const fix = 'Build the daemon, then start the server again.';
  expect(await get('/daemon.tgz')).toEqual([
    404,
    'no-store',
    JSON.stringify({ code: 'NOT_FOUND', message: 'The packed daemon is missing', fix }),
  ]);
});
