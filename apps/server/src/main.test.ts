import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { serverPlace, serverPlacesFolder } from '@drawbridge/contracts/machines/server-places';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { accountEnvironment, accountHome } from '../../../e2e/harness/account-home.ts';
import { connectDaemon } from '../test/daemon.ts';
import { createPanel } from '../test/panel.ts';
import { send, signUpOwner, type TestServer } from '../test/server.ts';

const placesIn = (home: string): { path: string; text: string }[] => {
  const folder = join(home, ...serverPlacesFolder);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => ({ path: join(folder, name), text: readFileSync(join(folder, name), 'utf8') }));
};

/** The server as a process of its own; `line` waits for a line of its stdout, `remove` ends it. */
const launch = (environment: Record<string, string>, args: string[] = []) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'drawbridge-main-'));
  const child = spawn(
    process.execPath,
    // The built file, as it is run: `pnpm build` makes it.
    [join(import.meta.dirname, '../dist/main.js'), ...args],
    { env: { PATH: '', PORT: '0', DATA_DIR: dataDir, ...accountEnvironment(), ...environment } },
  );
  let out = '';
  let err = '';
  let wake: () => void = () => {};
  child.stdout.on('data', (chunk) => {
    out += String(chunk);
    wake();
  });
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      resolve(code);
      wake();
    }),
  );
  const remove = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  const lines = () => out.split('\n').slice(0, -1);
  return {
    child,
    dataDir,
    ended,
    remove,
    lines,
    err: () => err,
    line: async (at: number) => {
      while (lines().length <= at && child.exitCode === null)
        await new Promise<void>((resolve) => (wake = resolve));
      return lines()[at] ?? `ended: ${err}`;
    },
  };
};

/** A process that is gone when the test is finished. */
const start = (environment: Record<string, string>, args: string[] = []) => {
  const launched = launch(environment, args);
  onTestFinished(launched.remove);
  return launched;
};

const readyUrl = (line: string) =>
  /^Drawbridge is ready on (http:\/\/127\.0\.0\.1:\d+)$/.exec(line)?.[1] ?? line;
const startTimeoutMs = 30_000;

describe('a process that runs', { timeout: startTimeoutMs }, () => {
  let server: ReturnType<typeof launch>;
  let url: string;

  beforeAll(async () => {
    server = launch({});
    url = readyUrl(await server.line(0));
  }, startTimeoutMs);
  afterAll(() => server.remove());

  it('prints its address and the owner’s setup link', async () => {
    expect((await send(`${url}/health`)).json).toEqual({ ok: true });
    const [, token = ''] = /#token=(setup_[\w-]{32})$/.exec(await server.line(2)) ?? [];
    expect(await server.line(1)).toBe(`Data: ${server.dataDir}`);
    expect(await server.line(2)).toBe(`Create the owner account: ${url}/setup#token=${token}`);
    const body = { setupToken: token, name: 'O', email: 'o@example.org', password: 'a long password' };
    expect((await send(`${url}/trpc/setup.createOwner`, { method: 'POST', body })).status).toBe(200);
    expect(server.err()).not.toContain(token);
  });

  it('makes an access token beside a server that runs', async () => {
    const args = ['token', 'create', '--user', 'O@example.org', '--name', 'Desk'];
    const command = start({ DATA_DIR: server.dataDir }, args);
    expect(await command.ended).toBe(0);
    const [token, ...rest] = command.lines();
    expect([token, rest]).toEqual([expect.stringMatching(/^dbt_[\w-]{32}$/), []]);
    expect(command.err()).toMatch(/^Created "Desk" for .*: filesystemRead; until /);
    expect(command.err()).not.toContain(token);
    const asked = await send(`${url}/api/v1/status`, { headers: { authorization: `Bearer ${token}` } });
    expect(asked.status).toBe(200);
  });

  it('keeps another server from its data folder, which names it', async () => {
    const second = start({ LOG_LEVEL: 'silent', DATA_DIR: server.dataDir });
    expect(await second.ended).toBe(1);
    expect(second.err()).toBe(
      `error  Another server runs on the data folder ${server.dataDir}: process ${server.child.pid} on ${hostname()}, ${url}. Stop it, or set DATA_DIR to another folder.\n`,
    );
  });

  it('LG-09 does not open the inspector on SIGUSR1, and ends cleanly on a signal that arrives several times, as a Ctrl-C under npx does', async () => {
    server.child.kill('SIGUSR1');
    expect((await send(`${url}/health`)).json).toEqual({ ok: true });
    for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM'] as const) server.child.kill(signal);
    expect(await server.ended).toBe(0);
    expect(server.err()).not.toMatch(/debugger|inspector/i);
  });
});

describe('the process', { timeout: startTimeoutMs }, () => {
  it('NG-05: writes down where its store is, for the daemons of its account, and leaves it there', async () => {
    const home = mkdtempSync(join(tmpdir(), 'drawbridge-home-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const database = join(home, 'elsewhere/store.db');
    mkdirSync(join(home, 'elsewhere'));
    const server = start({ HOME: home, DATABASE_URL: `file:${database}` });
    readyUrl(await server.line(0));
    server.child.kill('SIGTERM');
    await server.ended;
    const [entry, ...more] = placesIn(home);
    expect(serverPlace.parse(JSON.parse(entry?.text ?? ''))).toEqual({
      version: 1,
      paths: [server.dataDir, database],
    });
    expect(more).toEqual([]);
    expect(statSync(entry?.path ?? '').mode & 0o777).toBe(0o600);
    // Whatever HOME is, and in a test not below the home of the person who runs it.
    const isIn = (account: string) => placesIn(account).some(({ text }) => text.includes(server.dataDir));
    expect([accountHome(), userInfo().homedir].map(isIn)).toEqual([true, false]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s, with streams open, and sends daemons away to come back',
    async (signal) => {
      const server = start({ SETUP_TOKEN: `setup_${'t'.repeat(32)}` });
      const url = readyUrl(await server.line(0));
      const reached = { url, send: (path, sent) => send(url + path, sent) } satisfies Pick<
        TestServer,
        'url' | 'send'
      >;
      // The process has no App here; nothing of it is used.
      const remote = reached as TestServer;
      const panel = createPanel(remote, await signUpOwner(remote));
      await new Promise<void>((resolve) =>
        panel.live.onEvent.subscribe(undefined, { onStarted: () => resolve() }),
      );
      const { stream } = await connectDaemon(remote, (await panel.gateway.createLink.mutate()).token);
      server.child.kill(signal);
      expect(await server.ended).toBe(0);
      await stream.ended;
    },
  );

  it('reports in one sentence that its port is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const server = start({ PORT: String(port), LOG_LEVEL: 'silent' });
    expect(await server.ended).toBe(1);
    expect([server.lines(), server.err()]).toEqual([
      [],
      `error  Port ${port} on 127.0.0.1 is in use. Stop what uses it, or set PORT.\n`,
    ]);
  });

  it('reports in one sentence that its host has no address', async () => {
    const server = start({ HOST: 'no-such-host.invalid', LOG_LEVEL: 'silent' });
    expect(await server.ended).toBe(1);
    expect(server.err()).toBe('error  This machine has no address no-such-host.invalid. Set HOST.\n');
  });

  it('reports in one sentence which setting is wrong, and creates nothing', async () => {
    const dataDir = join(tmpdir(), `drawbridge-never-${process.pid}`);
    const server = start({ PORT: 'secret-word', DATA_DIR: dataDir });
    expect(await server.ended).toBe(1);
    expect([server.lines(), server.err()]).toEqual([[], 'error  PORT: must be a whole number\n']);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('prints its settings with --help', async () => {
    const server = start({}, ['--help']);
    expect(await server.ended).toBe(0);
    const lines = server.lines();
    const environment = lines.indexOf('Environment:');
    expect([lines[0], ...lines.slice(environment, environment + 2)]).toEqual([
      'Usage: drawbridge-server [options] [command]',
      'Environment:',
      expect.stringMatching(/^ {2}HOST +Address to listen on\. Default: 127\.0\.0\.1$/),
    ]);
  });

  it('ends with 2 for an argument that it does not know', async () => {
    const server = start({}, ['--port=80']);
    expect(await server.ended).toBe(2);
    expect(server.lines()).toEqual([]);
  });

  it('makes no token, and no folder, where no server has run', async () => {
    const dataDir = join(tmpdir(), `drawbridge-never-${process.pid}`);
    const command = start({ DATA_DIR: dataDir }, [
      'token',
      'create',
      '--user',
      'a@example.org',
      '--name',
      'Desk',
    ]);
    expect(await command.ended).toBe(1);
    expect(command.err()).toMatch(/^error  No server has run with the data folder /);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('reports why it cannot open its store', async () => {
    const server = start({ DATABASE_URL: 'mysql://localhost/x' });
    expect(await server.ended).toBe(1);
    expect(server.err()).toMatch(/^error  DATABASE_URL names an unsupported store/);
  });

  it('warns when others can reach it and no public address is configured', async () => {
    const server = start({ HOST: '0.0.0.0' });
    await server.line(0);
    expect(server.err()).toContain('PUBLIC_URL is not set');
  });
});
