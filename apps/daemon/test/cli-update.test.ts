import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { home, run, setUpEachTest, start } from './support/start-cli.ts';

setUpEachTest();

const dist = join(import.meta.dirname, '../dist');
const own = () => join(home, '.drawbridge');
/** What the private folder holds, besides code that Node has compiled. */
const kept = () => readdirSync(own()).filter((name) => name !== 'compile-cache');
const versions = () => join(own(), 'versions');
const launcher = () => join(home, '.local/bin/drawbridge');

/** The program as npx leaves it in npm's cache, without what it depends on. */
const fetchedByNpx = () => {
  const folder = join(home, '.npm/_npx/01ab');
  const path = join(folder, 'node_modules/@drawbridge/daemon');
  mkdirSync(path, { recursive: true });
  execFileSync('tar', ['-xzf', join(dist, 'daemon.tgz'), '-C', path, '--strip-components=1']);
  writeFileSync(join(folder, 'package.json'), '{"_npx":{"packages":["https://x.example/daemon.tgz"]}}');
  return join(path, 'dist/cli.cjs');
};
const release = () => {
  const { version, build } = JSON.parse(readFileSync(join(dist, 'daemon.json'), 'utf8')) as Record<
    string,
    string
  >;
  return `${version}-${build}`;
};
const runNpx = async (args: string[], path = '/usr/bin:/bin') => {
  const { out, code } = start(args, { PATH: path }, { program: fetchedByNpx() });
  return { code: await code, ...out };
};

const serve = async (answer: RequestListener) => {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // Listening on TCP, the address is an object.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
};

const pairedWith = (url: string) => {
  mkdirSync(own(), { recursive: true, mode: 0o700 });
  const session = { url, hostIdentifier: 'ann@here', key: `sess_${'k'.repeat(32)}` };
  writeFileSync(join(own(), 'session.json'), JSON.stringify(session), { mode: 0o600 });
};

const content = Buffer.from('a program');
const sha256 = createHash('sha256').update(content).digest('hex');
const offered = { version: '9.0.0', build: '0123456789ab', sha256, bytes: content.length };

describe('drawbridge install', { timeout: 60_000 }, () => {
  it('keeps what npx has fetched, with a launcher, and says what PATH lacks; uninstall takes it away and keeps settings', async () => {
    const first = await runNpx(['install']);
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain(`${home}/.local/bin is not in PATH`);
    expect(readdirSync(versions()).sort()).toEqual([release(), 'current'].sort());
    expect(readlinkSync(launcher())).toBe(
      join(versions(), 'current/node_modules/@drawbridge/daemon/dist/cli.cjs'),
    );
    expect(execFileSync(launcher(), ['--version'], { encoding: 'utf8' })).toBe(`${release()}\n`);
    const inPath = `/usr/bin:/bin:${join(home, '.local/bin')}`;
    const again = await runNpx(['install', '--json'], inPath);
    expect(JSON.parse(again.stdout)).toEqual({
      release: release(),
      launcher: launcher(),
      pathLine: null,
      start: 'drawbridge connect',
    });
    writeFileSync(join(own(), 'settings.json'), '{}', { mode: 0o600 });
    mkdirSync(join(own(), 'node/24.21.0'), { recursive: true });
    expect(await run(['uninstall'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    expect(await run(['uninstall', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`kept          ${own()}: settings`),
    });
    expect([kept(), readdirSync(join(home, '.local/bin'))]).toEqual([['settings.json'], []]);
    expect(await run(['uninstall', '--yes', '--settings'])).toMatchObject({ code: 0 });
    expect(readdirSync(home)).not.toContain('.drawbridge');
  });

  it('leaves a launcher that is another program', async () => {
    mkdirSync(join(home, '.local/bin'), { recursive: true });
    writeFileSync(launcher(), 'mine');
    expect(await runNpx(['install'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is another program'),
    });
    expect(await run(['uninstall', '--yes'])).toMatchObject({ code: 0 });
    expect(readFileSync(launcher(), 'utf8')).toBe('mine');
  });
});

describe('drawbridge update', { timeout: 60_000 }, () => {
  it.each<[string, RequestListener, string]>([
    [
      'SC-11 bytes that are not those announced',
      ({ url }, response) => response.end(url === '/daemon.json' ? JSON.stringify(offered) : 'b program'),
      'not what the server announced',
    ],
    [
      'SC-11 more bytes than announced',
      ({ url }, response) =>
        response.end(url === '/daemon.json' ? JSON.stringify(offered) : Buffer.alloc(100_000)),
      'not what the server announced',
    ],
    [
      'an announced package that is not there',
      ({ url }, response) =>
        url === '/daemon.json' ? response.end(JSON.stringify(offered)) : response.writeHead(404).end(),
      'HTTP 404',
    ],
    [
      'SC-11 a version that climbs out of its folder',
      (_request, response) => response.end(JSON.stringify({ ...offered, version: '../../x' })),
      'offers no drawbridge',
    ],
    [
      'a server of another kind',
      (_request, response) => response.writeHead(404).end(),
      'offers no drawbridge',
    ],
  ])('%s changes nothing', async (_name, answer, sentence) => {
    const { url } = await serve(answer);
    pairedWith(url);
    const { code, stderr } = await run(['update', '--yes']);
    expect([code, stderr]).toEqual([1, expect.stringContaining(sentence)]);
    expect(kept()).toEqual(['session.json']);
    expect(readdirSync(home)).not.toContain('.local');
  });

  it('SC-11 follows no redirect, sends no key, and asks no other server', async () => {
    const other = await serve((_request, response) => response.end(JSON.stringify(offered)));
    const { url, seen } = await serve((request, response) =>
      response.writeHead(302, { location: `${other.url}${request.url}` }).end(),
    );
    pairedWith(url);
    expect(await run(['update', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the server redirects'),
    });
    expect([seen.length, other.seen.length]).toEqual([1, 0]);
    expect(JSON.stringify(seen.map(({ headers }) => headers))).not.toContain('sess_');
  });

  it('asks first: without a terminal it needs --yes; over plain http to another machine a flag', async () => {
    const { url, seen } = await serve((_request, response) => response.end(JSON.stringify(offered)));
    pairedWith(url);
    expect(await run(['update'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('9.0.0-0123456789ab'),
    });
    expect(seen.map((request) => request.url)).toEqual(['/daemon.json']);
    pairedWith('http://bridge.example.org');
    expect(await run(['update', '--yes'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('http'),
    });
  });
});
