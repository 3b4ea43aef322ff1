import { execFile, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const run = promisify(execFile);

const makeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** The instructions of a Dockerfile, one a line: name and the rest. */
const instructions = read('Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean)
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const);
const valuesOf = (name: string) => instructions.flatMap(([own, rest]) => (own === name ? [rest] : []));
/** The command of the health check, as the image runs it. */
const healthCheck = z
  .array(z.string())
  .parse(JSON.parse(valuesOf('HEALTHCHECK')[0]?.replace(/^.*? CMD /, '') ?? ''));

it('the image is built in two stages from what `pnpm start` builds, and runs as an ordinary user', () => {
  const images = valuesOf('FROM');
  expect(images).toHaveLength(2);
  expect(images[0]).toMatch(/ AS build$/);
  const [building = ''] = valuesOf('RUN');
  expect(building.split(' && ').map((step) => step.trim())).toEqual([
    'npx --yes pnpm@10.34.9 start --build-only',
    'deploy/assemble.sh /out',
  ]);
  expect(valuesOf('COPY')).toEqual(['. .', '--from=build /out /opt/drawbridge']);
  expect([valuesOf('USER'), valuesOf('VOLUME'), valuesOf('ENTRYPOINT')]).toEqual([
    ['node'],
    ['/data'],
    ['["drawbridge-server"]'],
  ]);
});

it('compose runs one server on this machine alone, which writes to its volume and nowhere else', () => {
  const service = z.looseObject({
    environment: z.record(z.string(), z.string()),
    ports: z.array(z.string()),
    volumes: z.array(z.string()),
  });
  const { services, volumes } = z
    .object({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
    .parse(parse(read('compose.yaml')));
  expect(Object.keys(services)).toEqual(['server']);
  expect(services['server']).toMatchObject({
    build: '.',
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    ports: ['127.0.0.1:5820:5820'],
    volumes: ['data:/data'],
  });
  expect(Object.keys(volumes)).toEqual(['data']);
  const known = read('docs/configuration.md');
  const unknown = Object.keys(services['server']?.environment ?? {}).filter((name) => !known.includes(name));
  expect(unknown).toEqual([]);
});

const unit = read('deploy/drawbridge-server.service');
const settingOf = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

it('the unit starts what assemble.sh makes, as a user of its own', () => {
  expect(
    ['ExecStart', 'User', 'StateDirectoryMode', 'UMask', 'NoNewPrivileges', 'ProtectSystem'].map(settingOf),
  ).toEqual(['/opt/drawbridge/bin/drawbridge-server', 'drawbridge', '0700', '0077', 'yes', 'strict']);
});

it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('systemd understands the unit', () => {
  const file = join(makeFolder(), 'drawbridge-server.service');
  // The program is not there where this runs.
  writeFileSync(file, unit.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
  expect([status, stderr.split('\n').filter((line) => line.includes('drawbridge-server.service'))]).toEqual([
    0,
    [],
  ]);
});

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** Resolves with what was written when it has the text in it; rejects when the program ends before. */
const untilSays = (child: ReturnType<typeof spawn>, text: string) =>
  new Promise<string>((resolve, reject) => {
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        said += String(chunk);
        if (said.includes(text)) resolve(said);
      });
    child.once('exit', () => reject(new Error(said)));
  });

it(
  'what assemble.sh puts together runs elsewhere, as another user, with the versions of the lockfile',
  { timeout: 180_000 },
  async () => {
    const folder = makeFolder();
    const target = join(folder, 'opt');
    await run('sh', [join(root, 'deploy/assemble.sh'), target]);
    await expect(run('sh', [join(root, 'deploy/assemble.sh'), target])).rejects.toThrow('exists already');
    const lockfile = read('pnpm-lock.yaml');
    for (const name of ['fastify', 'better-auth', 'zod']) {
      const { version } = z
        .object({ version: z.string() })
        .parse(
          JSON.parse(readFileSync(join(target, `apps/server/node_modules/${name}/package.json`), 'utf8')),
        );
      expect([name, lockfile.includes(`\n  ${name}@${version}:`)]).toEqual([name, true]);
    }
    expect(existsSync(join(target, 'apps/server/node_modules/vitest'))).toBe(false);

    const data = mkdtempSync(join(folder, 'data-'));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      spawnSync('chmod', ['0755', folder]);
      chownSync(data, 12_345, 12_345);
    }
    const port = String(await freePort());
    const env = {
      PATH: process.env['PATH'] ?? '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: port,
      DATA_DIR: data,
    };
    const child = spawn(join(target, 'bin/drawbridge-server'), [], {
      cwd: '/',
      env,
      ...(isRoot && { uid: 12_345, gid: 12_345 }),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await untilSays(child, `:${port}`);
    const [command = '', ...args] = healthCheck;
    await run(command, args, { env });
    const get = async (path: string) => {
      const { status, headers } = await fetch(`http://127.0.0.1:${port}${path}`);
      return [status, headers.get('content-type')?.split(';')[0]];
    };
    expect([await get('/'), await get('/daemon.tgz')]).toEqual([
      [200, 'text/html'],
      [200, 'application/gzip'],
    ]);
    if (isRoot) expect(statSync(join(data, 'drawbridge.db')).uid).toBe(12_345);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    await expect(run(command, args, { env })).rejects.toThrow();
  },
);
