import { cp, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { descriptors } from '../src/tools/static-descriptors.ts';
import { json, page, pairingToken, sessionKey } from './support/gateway-server.ts';
import {
  connect,
  home,
  noSandbox,
  run,
  server,
  setUpEachTest,
  start,
  tellingLoaded,
  until,
  work,
} from './support/start-cli.ts';

setUpEachTest();

const sessionFile = () => join(home, '.drawbridge/session.json');

describe('a session of drawbridge', () => {
  it('announces the folder, the tools that are not on deny, and itself', async () => {
    await connect(['--permission-filesystem-write', 'deny']);
    const { body } = server.seen[0] ?? {};
    expect(body).toMatchObject({
      rootPath: work,
      hostIdentifier: expect.stringMatching(/^[^@]+@.+$/),
      toolCategories: expect.arrayContaining([{ name: 'filesystem', enabled: true, writeAccess: false }]),
      modes: { filesystemRead: 'allow', filesystemWrite: 'deny', shell: 'deny' },
      daemon: {
        reconnect: expect.stringMatching(/^\S+ \S+cli\.cjs connect --dir \S+work$/),
        version: '0.1.0',
        protocol: 1,
        features: 'resume cancel progress probe rules processes tighten rulings runtimes'.split(' '),
        instance: expect.stringMatching(/^[\w-]{21}-\d+$/),
      },
    });
    const { tools } = body as { tools: { name: string }[] };
    const names = tools.map(({ name }) => name);
    expect(names).toContain('read_file');
    expect(names).not.toContain('write_file');
    expect(names).not.toContain('shell_execute');
    // The build writes them down: they are what the tools' own schemas say.
    const told = Object.values(descriptors).flatMap((toolset) => toolset.map((one) => one.descriptor));
    expect(tools).toEqual(told.filter(({ name }) => names.includes(name)));
  });

  it('has its tools loaded when it is connected: an update of the program does not reach them', async () => {
    const { child, code, out } = await connect([], await tellingLoaded());
    child.kill('SIGINT');
    expect(await code).toBe(0);
    expect(out.stderr).toMatch(/^loaded .* filesystem/m);
  });

  it('LG-03 runs a call, shows it in one line, and shows no key anywhere', async () => {
    await writeFile(join(work, 'a.txt'), 'hello\n');
    const { out, child, code } = await connect();
    const toolCall = { name: 'read_file', arguments: { filePath: 'a.txt' } };
    server.send({ type: 'filesystem-request', payload: { requestId: 'r1', toolCall } });
    await until(() => expect(out.stderr).toMatch(/^ok {12}read_file {2}a\.txt {2}\d+ ms$/m));
    await until(() => expect(JSON.stringify(server.results())).toContain('hello'));
    child.kill('SIGINT');
    expect(await code).toBe(0);
    expect(out.stdout).toBe('');
    expect(server.seen[1]).toMatchObject({ path: '/events', apiKey: sessionKey });
    const log = await readFile(join(home, '.drawbridge/logs/drawbridge.log'), 'utf8');
    expect(out.stderr + log).not.toContain(pairingToken);
    expect(out.stderr + log).not.toContain(sessionKey);
    expect(out.stderr).not.toContain('\u001b');
  });

  it('works under a server that knows the specification alone: the decision comes as a new call', async () => {
    await connect();
    const given = { filePath: 'a.txt', content: 'hello' };
    const send = (requestId: string, more: object = {}) => {
      const toolCall = { name: 'write_file', arguments: { ...given, ...more } };
      server.send({ type: 'filesystem-request', payload: { requestId, toolCall } });
    };
    send('r1');
    await until(() => expect(JSON.stringify(server.results())).toContain('GATEWAY_CONFIRMATION_REQUIRED::'));
    send('r2', { _confirmation: 'allowOnce' });
    await until(() => expect(server.seen.at(-1)).toMatchObject({ path: '/response/r2' }));
    expect(await readFile(join(work, 'a.txt'), 'utf8')).toBe('hello');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('on %s is offline at once and stays paired', async (signal) => {
    server.answer('init', json(200, { ok: true, sessionKey, features: ['keep-session'] }));
    const { child, code, out } = await connect();
    await until(async () =>
      expect(JSON.parse(await readFile(sessionFile(), 'utf8'))).toMatchObject({ key: sessionKey }),
    );
    expect((await stat(sessionFile())).mode & 0o777).toBe(0o600);
    expect((await stat(join(home, '.drawbridge'))).mode & 0o777).toBe(0o700);
    child.kill(signal);
    expect(await code).toBe(0);
    expect(out.stderr).toMatch(/^stopped {7}This machine is offline and stays paired\.$/m);
    expect(server.seen.at(-1)).toMatchObject({
      path: '/disconnect',
      key: sessionKey,
      body: { keepSession: true },
    });
    const again = start(['connect']);
    await until(() => expect(again.out.stderr).toContain('connected     '));
    expect(server.seen.at(-2)).toMatchObject({ path: '/init', key: sessionKey });
  });

  it('never ends the pairing on Ctrl-C at a server of ours that would not keep it', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, features: [] }));
    const { child, code } = await connect();
    child.kill('SIGINT');
    expect(await code).toBe(0);
    expect(server.seen.map(({ path }) => path)).toEqual(['/init', '/events']);
  });

  it('posts a disconnect on SIGTERM to a server of the specification alone, and forgets the key', async () => {
    const { child, code, out } = await connect();
    await until(async () => expect(await readFile(sessionFile(), 'utf8')).toContain(sessionKey));
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(server.seen.at(-1)).toMatchObject({ path: '/disconnect', key: sessionKey, body: {} });
    expect(out.stderr).toMatch(/^disconnected {2}At this server the pairing ends when drawbridge stops\.$/m);
    await expect(stat(sessionFile())).rejects.toThrow('ENOENT');
  });

  it('ends the pairing with drawbridge disconnect, which needs a yes', async () => {
    const { code, out } = await connect();
    await until(async () => expect(await readFile(sessionFile(), 'utf8')).toContain(sessionKey));
    expect(await run(['disconnect'])).toMatchObject({
      code: 2,
      stderr: 'error  disconnect needs a terminal, or --yes\nnext   Add --yes.\n',
    });
    server.answer('disconnect', (request, response) => {
      server.send({ type: 'gateway-disconnect', payload: { reason: 'user' } });
      json(200, { ok: true })(request, response);
    });
    expect(await run(['disconnect', '--yes'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^disconnected {2}http/),
    });
    expect(server.seen.at(-1)).toMatchObject({ path: '/disconnect', key: sessionKey, body: {} });
    expect(await code).toBe(0);
    expect(out.stderr).toMatch(/^disconnected {2}The pairing was ended/m);
    await expect(stat(sessionFile())).rejects.toThrow('ENOENT');
    expect(await run(['disconnect', '--yes'])).toMatchObject({
      code: 0,
      stdout: 'not paired    There is no pairing to end.\n',
    });
  });

  it('keeps the key when the server cannot be told, unless it is forced', async () => {
    await mkdir(join(home, '.drawbridge'), { mode: 0o700 });
    const kept = { url: 'http://127.0.0.1:9/', hostIdentifier: 'x@y', key: sessionKey };
    await writeFile(sessionFile(), JSON.stringify(kept));
    expect(await run(['disconnect', '--yes'])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error {2}Cannot reach http:\/\/127\.0\.0\.1:9 \(connection refused\), so the pairing was not ended$/m,
      ),
    });
    expect((await stat(sessionFile())).isFile()).toBe(true);
    expect(await run(['disconnect', '--yes', '--force', '--json'])).toMatchObject({ code: 0 });
    await expect(stat(sessionFile())).rejects.toThrow('ENOENT');
  });

  it('told to end by the system, it reports what ran, keeps the session, and the next one goes on with it', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, features: [] }));
    const { child, code } = await connect(['--permission-shell', 'allow', noSandbox]);
    await until(async () => expect(await readFile(sessionFile(), 'utf8')).toContain(sessionKey));
    const toolCall = { name: 'shell_execute', arguments: { command: 'touch started; sleep 60' } };
    server.send({ type: 'filesystem-request', payload: { requestId: 'r1', toolCall } });
    await until(async () => expect((await stat(join(work, 'started'))).isFile()).toBe(true));
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(server.seen.at(-1)).toMatchObject({ path: '/response/r1' });
    expect(server.results()).toEqual([
      {
        result: expect.objectContaining({
          isError: true,
          _meta: { 'drawbridge/outcome': 'cancelled', 'drawbridge/started': true },
        }),
      },
    ]);
    const again = start(['connect']);
    await until(() => expect(again.out.stderr).toContain('connected     '));
    expect(server.seen.at(-2)).toMatchObject({ path: '/init', key: sessionKey });
  });

  it('ends a running call on Ctrl-C and reports it before it leaves', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, features: ['keep-session'] }));
    const { child, code, out } = await connect(['--permission-shell', 'allow', noSandbox]);
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
    ['user', 0, 'disconnected  The pairing was ended'],
    ['replaced', 1, 'error  Disconnected: another machine or another drawbridge replaced this one'],
  ])('ends when the server says %s', async (reason, exitCode, shown) => {
    const { code, out } = await connect();
    server.send({ type: 'gateway-disconnect', payload: { reason } });
    expect(await code).toBe(exitCode);
    expect(out.stderr).toContain(shown);
  });

  it('reconnects after the server was away', async () => {
    const { out } = await connect();
    server.answer('events', page(502));
    server.cutStream();
    await until(() => expect(out.stderr).toMatch(/^reconnecting {2}the answer is a web page \(HTTP 502\)/m));
    server.answer('events');
    await until(() => expect(out.stderr.match(/^connected /gm)).toHaveLength(2));
  });

  it('ends at once on a second signal', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, features: ['keep-session'] }));
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

  it('PS-14 reads nothing from the folder it works in', async () => {
    await writeFile(join(work, '.env'), 'DRAWBRIDGE_PERMISSION_SHELL=allow\n');
    await writeFile(join(work, 'settings.json'), '{"modes":{"shell":"allow"}}');
    const { out } = await connect();
    expect(out.stderr).toMatch(/run commands +deny/);
  });

  it('is the same daemon after a restart, and another one with a copy of its files', async () => {
    const instances = () =>
      server.seen.flatMap(({ path, body }) =>
        path === '/init' ? [(body as { daemon: { instance: string } }).daemon.instance] : [],
      );
    const { child, code } = await connect();
    await until(async () => expect(await readFile(sessionFile(), 'utf8')).toContain(sessionKey));
    child.kill('SIGKILL');
    await code;
    await cp(join(home, '.drawbridge'), join(home, 'copy/.drawbridge'), {
      recursive: true,
      // A socket is no file to copy.
      filter: (path) => !path.endsWith('/control'),
    });
    for (const HOME of [home, join(home, 'copy')]) {
      const again = start(['connect'], { HOME });
      await until(() => expect(again.out.stderr).toContain('connected     '));
    }
    const [first, second, copied] = instances();
    expect([second === first, copied === first]).toEqual([true, false]);
  });

  it('says that a proxy holds the stream back when the first words do not come', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, epoch: 1 }));
    const { out } = await connect();
    await until(() =>
      expect(out.stderr).toContain(
        'error  Your proxy buffers the stream: calls come late or not at all\nnext   Read docs/behind-a-proxy.md.',
      ),
    );
  });

  it('shows what the server says with escapes', async () => {
    server.answer('init', json(200, { ok: true, sessionKey, warnings: ['\u001b[2Jtool skipped'] }));
    const { out } = await connect();
    await until(() => expect(out.stderr).toContain('warning       \\x1b[2Jtool skipped'));
  });
});
