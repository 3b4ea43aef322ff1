import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  forbidden,
  json,
  pairingToken,
  page,
  sessionKey,
  startGatewayServer,
  type GatewayServer,
} from './gateway-server.ts';

// The built file, as it is shipped: `pnpm build` makes it.
const cli = join(import.meta.dirname, '../dist/cli.js');

let home: string;
let work: string;
let server: GatewayServer;
const children: ChildProcess[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'drawbridge-cli-'));
  work = join(home, 'work');
  await mkdir(work);
  server = await startGatewayServer();
});

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await server.close();
  await rm(home, { recursive: true, force: true });
});

const start = (args: string[], environment: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: work,
    env: { HOME: home, PATH: '/usr/bin:/bin', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const out = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => void (out.stdout += String(chunk)));
  child.stderr.on('data', (chunk) => void (out.stderr += String(chunk)));
  const code = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, out, code };
};

const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 15_000, interval: 20 });

const run = async (args: string[], environment: Record<string, string> = {}) => {
  const { out, code } = start(args, environment);
  return { code: await code, ...out };
};

const connect = async (extra: string[] = []) => {
  const started = start([server.url.origin, pairingToken, ...extra]);
  await until(() => expect(started.out.stderr).toContain('connected     '));
  return started;
};

const sessionFile = () => join(home, '.drawbridge/session.json');

describe('drawbridge', { timeout: 30_000 }, () => {
  it('prints its help with an example, and its version, on stdout', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('$ drawbridge https://bridge.example.org gw_… ~/projects/site');
    for (const group of ['filesystem-read', 'filesystem-write', 'shell', 'computer', 'browser', 'system']) {
      expect(help.stdout).toContain(`--permission-${group} <mode>`);
    }
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });

  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['an unknown flag', ['--auto-confirm'], {}, /^error {2}unknown option '--auto-confirm'\nnext /],
    ['too many words', ['https://x.example', 'gw_a', '.', 'more'], {}, /^error {2}too many arguments/],
    [
      'a mode that is none',
      ['connect', '--permission-shell', 'yes'],
      {},
      /^error {2}option '--permission-shell <mode>'/,
    ],
    [
      'http:// to another machine',
      ['http://192.0.2.1', 'gw_a'],
      {},
      /^error {2}The address of the server cannot be used/,
    ],
    ['no session to go on with', ['connect'], {}, /^error {2}There is no session on this machine/],
    [
      'a folder that is not there',
      ['https://x.example', 'gw_a', 'nowhere'],
      {},
      /^error {2}There is no folder nowhere/,
    ],
    [
      'the whole disk without a question',
      ['https://x.example', 'gw_a', '/'],
      {},
      /is too much to offer without a question/,
    ],
    [
      'a question in a terminal that is none',
      ['https://x.example', 'gw_a', '--confirm', 'terminal'],
      {},
      /needs a terminal/,
    ],
    [
      'a flag as an address in the environment',
      ['connect'],
      { DRAWBRIDGE_URL: '--auto-confirm' },
      /^error {2}Not an address/,
    ],
    [
      'a looser mode for system',
      ['https://x.example', 'gw_a', '--permission-system', 'allow'],
      {},
      /settings\.json only/,
    ],
  ])('exits with 2 on %s', async (_name, args, environment, shown) => {
    const result = await run(args, environment);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toMatch(shown);
  });

  it.each(['home', 'the folder above home'])('refuses %s as the folder without a question', async (which) => {
    const dir = which === 'home' ? home : join(home, '..');
    expect(await run([server.url.origin, pairingToken, '--dir', dir])).toMatchObject({ code: 2 });
    expect(server.seen).toEqual([]);
  });

  it('does not start when every group is on deny', async () => {
    const groups = ['filesystem-read', 'filesystem-write', 'shell', 'computer', 'browser', 'system'];
    const flags = groups.flatMap((group) => [`--permission-${group}`, 'deny']);
    const result = await run([server.url.origin, pairingToken, ...flags]);
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/^error {2}Every tool group is on deny/);
    expect(server.seen).toEqual([]);
  });

  it('never opens a settings file that it does not understand', async () => {
    await mkdir(join(home, '.drawbridge'), { mode: 0o700 });
    await writeFile(join(home, '.drawbridge/settings.json'), '{"modes":', { mode: 0o600 });
    const result = await run([server.url.origin, pairingToken]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain('settings.json');
    expect(server.seen).toEqual([]);
  });

  it('says that the server cannot be reached', async () => {
    await server.close();
    const result = await run([server.url.origin, pairingToken]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(
      `error  Cannot connect to ${server.url.origin} (connection refused)\nnext `,
    );
  });

  it('says how to pair again when the token is used up', async () => {
    server.answer('init', forbidden);
    const result = await run([server.url.origin, pairingToken]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(
      'error  The server does not take this key (Forbidden (HTTP 403))\nnext   Open the panel',
    );
    expect(server.seen).toHaveLength(1);
  });

  it('announces the folder, the tools that are not on deny, and itself', async () => {
    await connect(['--permission-filesystem-write', 'deny']);
    const { body } = server.seen[0] ?? {};
    expect(body).toMatchObject({
      rootPath: work,
      hostIdentifier: expect.stringMatching(/^[^@]+@.+$/),
      toolCategories: expect.arrayContaining([{ name: 'filesystem', enabled: true, writeAccess: false }]),
      daemon: { version: '0.1.0', protocol: 1, features: ['resume', 'cancel', 'progress'] },
    });
    const { tools } = body as { tools: { name: string }[] };
    const names = tools.map(({ name }) => name);
    expect(names).toContain('read_file');
    expect(names).not.toContain('write_file');
    expect(names).not.toContain('shell_execute');
  });

  it('runs a call, shows it in one line, and shows no key anywhere', async () => {
    await writeFile(join(work, 'a.txt'), 'hello\n');
    const { out, child, code } = await connect();
    const toolCall = { name: 'read_file', arguments: { filePath: 'a.txt' } };
    server.send({ type: 'filesystem-request', payload: { requestId: 'r1', toolCall } });
    await until(() => expect(out.stderr).toMatch(/^ok {12}read_file {2}a\.txt {2}\d+ ms$/m));
    await until(() => expect(JSON.stringify(server.results())).toContain('hello'));
    child.kill('SIGINT');
    expect(await code).toBe(0);
    expect(out.stdout).toBe('');
    expect(out.stderr).not.toContain(pairingToken);
    expect(out.stderr).not.toContain(sessionKey);
    expect(out.stderr).not.toContain('\u001b');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'disconnects on %s, tells the server and forgets the session',
    async (signal) => {
      const { child, code, out } = await connect();
      await until(async () =>
        expect(JSON.parse(await readFile(sessionFile(), 'utf8'))).toMatchObject({ key: sessionKey }),
      );
      expect((await stat(sessionFile())).mode & 0o777).toBe(0o600);
      expect((await stat(join(home, '.drawbridge'))).mode & 0o777).toBe(0o700);
      child.kill(signal);
      expect(await code).toBe(0);
      expect(out.stderr).toMatch(/disconnected {2}by you\n$/);
      expect(server.seen.at(-1)).toMatchObject({ path: '/disconnect', key: sessionKey });
      await expect(stat(sessionFile())).rejects.toThrow('ENOENT');
    },
  );

  it('ends a running call on Ctrl-C and reports it before it leaves', async () => {
    const { child, code, out } = await connect(['--permission-shell', 'allow']);
    const toolCall = { name: 'shell_execute', arguments: { command: 'touch started; sleep 60' } };
    server.send({ type: 'filesystem-request', payload: { requestId: 'r1', toolCall } });
    await until(async () => expect((await stat(join(work, 'started'))).isFile()).toBe(true));
    child.kill('SIGINT');
    expect(await code).toBe(0);
    expect(server.seen.slice(-2).map(({ path }) => path)).toEqual(['/response/r1', '/disconnect']);
    expect(server.results()).toEqual([
      {
        result: expect.objectContaining({
          isError: true,
          _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
        }),
      },
    ]);
    expect(out.stderr).toMatch(/^cancelled {5}shell_execute {2}touch started; sleep 60 /m);
  });

  it('lists the permanent rules on stdout, and takes one back', async () => {
    const rules = {
      deny: [{ toolGroup: 'shell', resource: 'rm' }],
      allow: [{ toolGroup: 'filesystemWrite', resource: '/w/\u001b[2Ja' }],
    };
    await mkdir(join(home, '.drawbridge'), { mode: 0o700 });
    const settings = join(home, '.drawbridge/settings.json');
    await writeFile(settings, JSON.stringify({ version: 1, modes: { shell: 'ask' }, rules }), {
      mode: 0o600,
    });
    const listed = await run(['permissions']);
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toMatch(/^run commands +ask$/m);
    expect(listed.stdout).toContain('1  deny   shell  rm\n2  allow  filesystemWrite  /w/\\x1b[2Ja\n');
    expect(await run(['permissions', '--remove', '2'])).toEqual({
      code: 0,
      stdout: 'removed  allow  filesystemWrite  /w/\\x1b[2Ja\n',
      stderr: '',
    });
    expect(JSON.parse(await readFile(settings, 'utf8'))).toMatchObject({
      rules: { deny: rules.deny, allow: [] },
    });
    for (const wrong of ['2', '0', '-1', '1e0', 'all']) {
      expect(await run(['permissions', `--remove=${wrong}`])).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it('goes on with the session after it was killed', async () => {
    const { child, code } = await connect();
    await until(async () => expect(await readFile(sessionFile(), 'utf8')).toContain(sessionKey));
    child.kill('SIGKILL');
    await code;
    const again = start(['connect']);
    await until(() => expect(again.out.stderr).toContain('connected     '));
    expect(server.seen.map(({ path, key }) => [path, key?.slice(0, 5)])).toEqual([
      ['/init', 'gw_tt'],
      ['/events', 'sess_'],
      ['/init', 'sess_'],
      ['/events', 'sess_'],
    ]);
  });

  it('does not send the session of one server to another', async () => {
    await mkdir(join(home, '.drawbridge'), { mode: 0o700 });
    await writeFile(
      sessionFile(),
      JSON.stringify({ url: 'https://other.example/', key: sessionKey, hostIdentifier: 'x@y' }),
    );
    expect(await run(['connect', server.url.origin])).toMatchObject({ code: 2 });
    expect(server.seen).toEqual([]);
  });

  it.each([
    ['user', 0, 'disconnected  in the panel'],
    ['replaced', 1, 'error  Disconnected: another machine or another drawbridge took this place'],
  ])('ends when the server says %s', async (reason, exitCode, shown) => {
    const { code, out } = await connect();
    server.send({ type: 'gateway-disconnect', payload: { reason } });
    expect(await code).toBe(exitCode);
    expect(out.stderr).toContain(shown);
  });

  it('comes back by itself after the server was away', async () => {
    const { out } = await connect();
    server.answer('events', page(502));
    server.cutStream();
    await until(() =>
      expect(out.stderr).toMatch(
        /reconnecting {2}in \d+ s \(a web page came instead of an answer \(HTTP 502\)/,
      ),
    );
    server.answer('events');
    await until(() => expect(out.stderr.match(/^connected /gm)).toHaveLength(2));
  });

  it('ends at once on a second signal', async () => {
    const { child, code, out } = await connect();
    server.answer('disconnect', () => {});
    child.kill('SIGINT');
    await until(() => expect(out.stderr).toContain('once more to force'));
    child.kill('SIGINT');
    expect(await code).toBe(1);
  });

  it('takes everything from the environment', async () => {
    const { out } = start(['connect'], {
      DRAWBRIDGE_URL: server.url.origin,
      DRAWBRIDGE_TOKEN: pairingToken,
      DRAWBRIDGE_NON_INTERACTIVE: '1',
      DRAWBRIDGE_PERMISSION_SHELL: 'ask',
    });
    await until(() => expect(out.stderr).toContain('connected     '));
    expect(out.stderr).toMatch(/run commands +ask/);
  });

  it('reads nothing from the folder it works in', async () => {
    await writeFile(join(work, '.env'), 'DRAWBRIDGE_PERMISSION_SHELL=allow\n');
    await writeFile(join(work, 'settings.json'), '{"modes":{"shell":"allow"}}');
    const { out } = await connect();
    expect(out.stderr).toMatch(/run commands +deny/);
  });

  it('shows what the server says with escapes', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, warnings: ['\u001b[2Jtool skipped'] }));
    const { out } = await connect();
    await until(() => expect(out.stderr).toContain('warning       \\x1b[2Jtool skipped'));
  });
});
