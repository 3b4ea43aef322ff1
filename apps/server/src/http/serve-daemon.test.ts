import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { readDaemonPackage } from './daemon-package.ts';
import { errorHandler } from './errors.ts';
import { serveDaemon } from './serve-daemon.ts';

const packed = 'packed';
const about = {
  version: '0.1.0',
  build: '0123456789ab',
  sha256: createHash('sha256').update(packed).digest('hex'),
  bytes: packed.length,
};

const serve = async (files: Record<string, string>) => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-packed-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const app = fastify();
  app.setErrorHandler(errorHandler);
  const daemon = await readDaemonPackage(join(folder, 'daemon.tgz'));
  serveDaemon(app, { daemon, url: () => 'https://bridge.example.org' });
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  return async (url: string) => {
    const { statusCode, headers, body } = await app.inject({ url });
    return [statusCode, headers['cache-control'], body];
  };
};

it('serves the packed daemon at an immutable address and at that of the newest', async () => {
  const get = await serve({ 'daemon.tgz': packed, 'daemon.json': JSON.stringify(about) });
  const lasting = 'public, max-age=31536000, immutable';
  expect(await get('/daemon-0.1.0-0123456789ab.tgz')).toEqual([200, lasting, packed]);
  expect(await get('/daemon.tgz')).toEqual([200, 'no-cache', packed]);
  expect(await get('/daemon.json')).toEqual([200, 'no-cache', JSON.stringify(about)]);
  const message =
    'This server has drawbridge 0.1.0-0123456789ab now. ' +
    'Run: npx --yes https://bridge.example.org/daemon-0.1.0-0123456789ab.tgz';
  expect(await get('/daemon-0.0.9-ba9876543210.tgz')).toEqual([
    404,
    'no-store',
    JSON.stringify({ code: 'NOT_FOUND', message, error: message }),
  ]);
});

it.each([
  ['before the first build', {}],
  ['with a description of another package', { 'daemon.tgz': 'other', 'daemon.json': JSON.stringify(about) }],
])('says what is missing %s', async (_name, files) => {
  const get = await serve(files);
  const fix = 'Build the daemon, then start the server again.';
  const missing = JSON.stringify({ code: 'NOT_FOUND', message: 'The packed daemon is missing', fix });
  for (const path of ['/daemon.tgz', '/daemon.json', '/daemon-0.1.0-0123456789ab.tgz'])
    expect(await get(path)).toEqual([404, 'no-store', missing]);
});
