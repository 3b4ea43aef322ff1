import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { forbidden, json, pairingToken, sessionKey } from './support/gateway-server.ts';
import { connect, home, run, server, setUpEachTest, start, until, work } from './support/start-cli.ts';

setUpEachTest();

const own = () => join(home, '.drawbridge');
const call = (requestId: string, name: string, args: Record<string, unknown>) =>
  server.send({
    type: 'filesystem-request',
    payload: { requestId, toolCall: { name, arguments: args } },
  });
const statusJson = async () =>
  JSON.parse((await run(['status', '--json'])).stdout) as Record<string, unknown>;

/** Every text below a folder, but what is left out by name. */
const textsBelow = (folder: string, without: string): string =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== without)
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

describe('drawbridge status', { timeout: 60_000 }, () => {
  it('says who is connected, since when and how many calls; after kill -9 no daemon', async () => {
    writeFileSync(join(work, 'a.txt'), 'hello\n');
    const { child, code } = await connect(['--permission-shell', 'deny']);
    call('r1', 'read_file', { filePath: 'a.txt' });
    call('r2', 'read_file', { filePath: 'missing.txt' });
    const calls = { running: 0, ok: 1, failed: 1, denied: 0, asked: 0, cancelled: 0 };
    await until(async () => expect(await statusJson()).toMatchObject({ daemons: [{ calls }] }));
    expect(await statusJson()).toMatchObject({
      connected: true,
      daemons: [{ pid: child.pid, url: server.url.origin, folder: work, link: { state: 'connected' } }],
      session: { url: server.url.href, keptIn: 'file' },
    });
    const shown = await run(['status']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain(`connected     ${server.url.origin}\nsince         2`);
    expect(shown.stdout).toContain('calls         2 ended (1 ok, 1 failed) · 0 running\n');
    expect(shown.stdout).toMatch(/^ {14}run commands {6}deny {3}this session \(flag\)$/m);
    expect(shown.stdout).toContain(`key           in ${own()}/session.json, which only you can read\n`);

    expect((await run(['permissions', 'set', 'filesystemWrite', 'deny'])).stdout).toBe(
      `saved         change files: deny\nin effect     ${work}\n`,
    );
    expect(await statusJson()).toMatchObject({ daemons: [{ modes: { filesystemWrite: 'deny' } }] });
    await until(() => expect(server.seen.at(-1)).toMatchObject({ path: '/tools' }));
    expect(server.seen.at(-1)?.body).toMatchObject({ modes: { filesystemWrite: 'deny' } });
    expect(JSON.stringify(server.seen.at(-1)?.body)).not.toContain('write_file');
    expect((await run(['permissions', 'set', 'shell', 'ask'])).stdout).toBe(
      `saved         run commands: ask\nnot yet       ${work}: still deny, set for this session (flag), until drawbridge restarts\n`,
    );

    child.kill('SIGKILL');
    await code;
    const after = await run(['status']);
    expect(after.code).toBe(1);
    expect(after.stdout).toMatch(
      /^not running {3}paired with http:\/\/[\d.:]+\nfolder {8}.*work\nnext {10}Run \S+ \S+cli\.cjs connect to reconnect/,
    );
  });

  it('tells that it tries again, and why', async () => {
    await connect();
    await server.close();
    await until(async () =>
      expect(await statusJson()).toMatchObject({
        connected: false,
        daemons: [{ link: { state: 'reconnecting', reason: expect.any(String) } }],
      }),
    );
    expect((await run(['status'])).code).toBe(1);
  });

  it('says how to begin where nothing is paired', async () => {
    expect(await run(['status'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^not running {3}not paired\nnext {10}Open the panel/),
    });
  });
});

describe('drawbridge logs', { timeout: 60_000 }, () => {
  it('LG-01 LG-02 O-SECRET: tells what ran and how it ended, with no key, argument or content', async () => {
    writeFileSync(join(work, 'canary-name.txt'), 'canary-content\n');
    const { child, out, code } = await connect();
    call('r1', 'read_file', { filePath: 'canary-name.txt' });
    call('r2', 'read_file', { filePath: 'canary-missing', other: 'canary-argument' });
    call('r3', `sess_${'c'.repeat(32)}`, { text: 'canary-typed' });
    await until(() => expect(server.results()).toHaveLength(3));
    await until(() => expect(out.stderr.match(/^(ok|failed) /gm)).toHaveLength(3));
    child.kill('SIGTERM');
    await code;

    const logged = await run(['logs', '--json', '-n', '100']);
    expect(logged).toMatchObject({ code: 0, stderr: '' });
    const records = logged.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(records[0]).toMatchObject({ event: 'started', folder: work, url: server.url.origin });
    expect(records).toContainEqual(
      expect.objectContaining({ event: 'call', requestId: 'r1', tool: 'read_file', outcome: 'ok' }),
    );
    expect(records.at(-1)).toMatchObject({ event: 'ended', reason: 'stopped' });
    const log = join(own(), 'logs/drawbridge.log');
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(statSync(join(own(), 'logs')).mode & 0o777).toBe(0o700);
    expect(readFileSync(log, 'utf8')).not.toContain('canary');
    // The session key stands in one file; a token and what a tool read in none.
    const everything = textsBelow(own(), 'session.json') + logged.stdout + out.stderr;
    expect(everything).not.toContain(sessionKey);
    expect(everything).not.toContain(pairingToken);
    expect(everything).not.toContain('canary-content');
    expect((await run(['logs'])).stdout).toMatch(/modes=filesystemRead:allow filesystemWrite:\w+ shell:/);
    expect((await run(['logs', '-n', '1'])).stdout).toMatch(
      /^\d{4}-\d\d-\d\d [\d:]{8} {2}ended {9}reason=stopped\n$/,
    );
  });

  it('follows what comes', async () => {
    const following = start(['logs', '--follow']);
    await until(() => expect(following.out.stderr).toContain('Nothing is logged yet'));
    const { child, code } = await connect();
    await until(() => expect(following.out.stdout).toMatch(/^\S+ \S+ {2}connected +link=stream\n/m));
    child.kill('SIGTERM');
    await code;
    await until(() => expect(following.out.stdout).toMatch(/ended {9}reason=stopped\n$/));
    following.child.kill('SIGINT');
    expect(await following.code).toBe(0);
  });

  it.each([['-n'], ['many'], ['-1']])('wants a number of lines, not %s', async (lines) => {
    expect(await run(['logs', `--lines=${lines}`])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('drawbridge pair', { timeout: 60_000 }, () => {
  it('keeps the key and ends; connect goes on with it', async () => {
    const paired = await run(['pair', server.url.origin, pairingToken]);
    expect(paired).toMatchObject({ code: 0, stderr: '' });
    expect(paired.stdout).toMatch(
      /^paired {8}http.*\nkey {11}in .*session\.json.*\nnext {10}\S+ \S+cli\.cjs connect/,
    );
    expect(paired.stdout).not.toContain(sessionKey);
    expect(server.seen).toMatchObject([{ path: '/init', key: pairingToken, body: { tools: [] } }]);
    expect(JSON.parse(readFileSync(join(own(), 'session.json'), 'utf8'))).toMatchObject({ key: sessionKey });
    expect(statSync(join(own(), 'session.json')).mode & 0o777).toBe(0o600);
    const { out } = start(['connect']);
    await until(() => expect(out.stderr).toContain('connected     '));
    expect(server.seen.at(-2)).toMatchObject({ path: '/init', key: sessionKey });
  });

  it.each([
    ['no token', ['pair', 'http://127.0.0.1:1'], 2, 'a token are needed'],
    ['no server there', ['pair', 'http://127.0.0.1:1', pairingToken], 1, 'connection refused'],
  ])('with %s says what to do', async (_name, args, code, words) => {
    const result = await run(args);
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) });
    expect(result.stderr).toContain('\nnext   ');
  });

  it('tells a used token from a lost server', async () => {
    server.answer('init', forbidden);
    expect(await run(['pair', server.url.origin, pairingToken])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The server does not know this token or key'),
    });
  });

  it('does not use up the token where the keyring that is wanted does not work', async () => {
    const result = await run(['pair', server.url.origin, pairingToken, '--key-store', 'keyring']);
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('--key-store file') });
    expect(server.seen).toEqual([]);
  });
});

describe('the folder of a session', { timeout: 60_000 }, () => {
  it('shares the folder of the last session, wherever it is started, and says when that is another one', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, features: ['keep-session'] }));
    const [site, elsewhere] = [join(home, 'site'), join(home, 'elsewhere')];
    mkdirSync(site);
    mkdirSync(elsewhere);
    const announced = z.object({ rootPath: z.string() });
    const roots = () => server.seen.flatMap(({ body }) => announced.safeParse(body).data?.rootPath ?? []);
    const session = async (args: string[], from: string) => {
      const started = start(args, {}, { cwd: from });
      await until(() => expect(started.out.stderr).toContain('connected     '));
      started.child.kill('SIGTERM');
      expect(await started.code).toBe(0);
      return started.out.stderr;
    };
    await session([server.url.origin, pairingToken, '--dir', site], elsewhere);
    expect(await session(['connect'], site)).toMatch(/^ {2}folder {2}.*site\n\n/m);
    expect(await session(['connect'], elsewhere)).toMatch(
      /^ {2}folder {2}.*site\n {10}as last time; --dir \. shares the current one$/m,
    );
    expect(await session(['connect', '--dir', '.'], elsewhere)).toMatch(
      /^ {2}folder {2}.*elsewhere\n {10}instead of .*site, also next time$/m,
    );
    expect(roots()).toEqual([site, site, site, elsewhere]);
    rmdirSync(elsewhere);
    expect(await run(['connect'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error {2}The folder of this machine is no longer there: .*elsewhere\nnext /,
      ),
    });
  });
});

describe('drawbridge tools', { timeout: 60_000 }, () => {
  it('lists what would be offered and why the rest is not', async () => {
    const shown = await run(['tools', '--permission-filesystem-write', 'deny']);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toMatch(/^filesystem {4}read_file$/m);
    expect(shown.stdout).not.toContain('write_file');
    expect(shown.stdout).toMatch(/^Not offered:\nshell {9}switched off on this machine$/m);
    const json = JSON.parse((await run(['tools', '--read-only', '--json'])).stdout) as Record<
      string,
      unknown
    >;
    expect(json).toMatchObject({
      folder: work,
      modes: { filesystemRead: 'allow', filesystemWrite: 'deny', mcp: 'deny' },
      tools: expect.arrayContaining([{ name: 'read_file', category: 'filesystem' }]),
      notOffered: expect.arrayContaining([{ category: 'shell', reason: 'switched off on this machine' }]),
    });
  });
});

it('PS-14 reads nothing from the folder that it works in', { timeout: 60_000 }, async () => {
  for (const name of ['.env', '.env.local']) {
    writeFileSync(
      join(work, name),
      `DRAWBRIDGE_URL=${server.url.origin}\nDRAWBRIDGE_TOKEN=${pairingToken}\n`,
    );
  }
  for (const name of ['settings.json', 'session.json', '.gateway.json', 'drawbridge.config.json']) {
    writeFileSync(join(work, name), JSON.stringify({ version: 1, url: server.url.href, key: sessionKey }));
  }
  writeFileSync(join(work, 'package.json'), JSON.stringify({ drawbridge: { url: server.url.href } }));
  expect(await run(['connect'])).toMatchObject({ code: 2, stdout: '' });
  expect(server.seen).toEqual([]);
});
