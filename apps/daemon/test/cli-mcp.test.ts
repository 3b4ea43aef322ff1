import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive, scripted } from './support/scripted-mcp-server.ts';
import { connect, home, run, server, setUpEachTest, start, until, work } from './support/start-cli.ts';
import { pairingToken } from './support/gateway-server.ts';

setUpEachTest();

const file = () => join(home, '.drawbridge/mcp-servers.json');

describe('drawbridge mcp', { timeout: 60_000 }, () => {
  it('adds, lists and removes; a value of a variable is never shown', async () => {
    const added = await run([
      'mcp',
      'add',
      'files',
      '--env',
      'KEY=secret=1',
      '--',
      './server.js',
      '-y',
      '../x',
      'a b',
    ]);
    const words = `${join(work, 'server.js')} -y ${join(home, 'x')} "a b"`;
    const said = expect.stringContaining(`added  files            KEY=… ${words}\n`);
    expect(added).toEqual({ code: 0, stdout: said, stderr: '' });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      version: 1,
      servers: {
        files: {
          command: join(work, 'server.js'),
          args: ['-y', join(home, 'x'), 'a b'],
          env: { KEY: 'secret=1' },
        },
      },
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect((await run(['mcp', 'list'])).stdout).toBe(`files            KEY=… ${words}\n`);
    expect((await run(['mcp', 'add', 'files', '--', 'node'])).stdout).toMatch(
      /^replaced {2}files {12}node\nnext {6}A running drawbridge starts it now; .+ doctor says whether it starts\.\n$/,
    );
    expect((await run(['mcp', 'remove', 'files'])).stdout).toBe('removed  files\n');
    expect((await run(['mcp', 'list'])).stdout).toMatch(/^There are no MCP servers/);
  });

  it('NG-60 keeps the digests of the files that it starts, and takes them again with confirm', async () => {
    const script = join(work, 'server.cjs');
    writeFileSync(script, 'one');
    await run(['mcp', 'add', 'own', '--', 'node', './server.cjs']);
    const digest = () =>
      (JSON.parse(readFileSync(file(), 'utf8')) as { servers: { own: { programs: object } } }).servers.own
        .programs;
    const [first, confirmed] = [digest(), await run(['mcp', 'confirm', 'own'])];
    expect([Object.keys(first), digest()]).toEqual([[script], first]);
    writeFileSync(script, 'two');
    expect((await run(['mcp', 'confirm', 'own'])).stdout).toBe(`confirmed  own: ${script}\n`);
    expect([confirmed.code, digest()]).toEqual([0, expect.not.objectContaining(first)]);
    expect(await run(['mcp', 'confirm', 'other'])).toMatchObject({ code: 2 });
  });

  it.each([
    ['a bad name', ['add', 'A_b', '--', 'node'], /The name: use a-z, 0-9 and -/],
    ['a bad variable', ['add', 'a', '--env', 'secretvalue', '--', 'node'], /--env needs KEY=VALUE/],
    [
      'a variable that is no name',
      ['add', 'a', '--env', '1A=secretvalue', '--', 'node'],
      /The server \(env.1A\)/,
    ],
    ['no command', ['add', 'a'], /The argument '.*' is missing\./],
    ['a server that is not there', ['remove', 'constructor'], /There is no MCP server constructor/],
  ])('refuses %s with 2', async (_name, args, words) => {
    const { code, stderr, stdout } = await run(['mcp', ...args]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(words)]);
    expect(stderr).not.toContain('secretvalue');
    expect(existsSync(file())).toBe(false);
  });
});

/** The tools come with the connection where they are there in time, and after it where they are not. */
const lists = () =>
  server.seen
    .filter(({ path }) => path === '/init' || path === '/tools')
    .map(({ body }) => JSON.stringify(body));

describe('a daemon with an MCP server', { timeout: 60_000 }, () => {
  const beside = () => {
    const folder = join(home, 'server');
    mkdirSync(folder, { recursive: true });
    return folder;
  };
  /** Has a child of a group of its own, which with `trap` ignores TERM, as the server does itself. */
  const withChild = (trap = '') => `
    ${trap === '' ? '' : `process.on('SIGTERM', () => {});`}
    const child = spawn('sh', ['-c', '${trap} while :; do sleep 1; done'], { detached: true, stdio: 'ignore' });
    process.stdin.on('end', () => setInterval(() => {}, 1000));
    fs.writeFileSync(__dirname + '/pids', process.pid + ' ' + child.pid);`;
  const add = async (script: string) => {
    const folder = beside();
    const { command, args } = scripted(folder, script);
    await run(['mcp', 'add', 'own', '--', command, ...args]);
    return () => readFileSync(join(folder, 'pids'), 'utf8').split(' ').map(Number);
  };

  it('tells the server of its tools when they are there, also when it was added later', async () => {
    const { out } = await connect();
    expect(lists()).toEqual([expect.not.stringContaining('own__echo')]);
    await add('');
    await until(() => expect(lists().at(-1)).toContain('"own__echo"'));
    await until(() => expect(out.stderr).toContain('the new list was sent to the server'));
    await run(['mcp', 'remove', 'own']);
    await until(() => expect(lists().at(-1)).not.toContain('"own__echo"'));
  });

  it.runIf(process.platform === 'linux')(
    'ends it while mcp is on deny, and leaves nothing when it is stopped',
    async () => {
      const pids = await add(withChild());
      const { child, code } = await connect();
      await until(() => expect(lists().at(-1)).toContain('"own__echo"'));
      const before = pids();
      await run(['permissions', 'set', 'mcp', 'deny']);
      await until(() => expect(before.map(isAlive)).toEqual([false, false]));
      await until(() => expect(lists().at(-1)).not.toContain('"own__echo"'));
      await run(['permissions', 'set', 'mcp', 'ask']);
      await until(() => expect(lists().at(-1)).toContain('"own__echo"'));
      child.kill('SIGTERM');
      await code;
      await until(() => expect(pids().map(isAlive)).toEqual([false, false]));
    },
  );

  it.runIf(process.platform === 'linux')('leaves nothing behind after kill -9', async () => {
    const pids = await add(withChild('trap "" TERM;'));
    const { child, code } = await connect();
    await until(() => expect(lists().at(-1)).toContain('"own__echo"'));
    expect(pids().map(isAlive)).toEqual([true, true]);
    child.kill('SIGKILL');
    await code;
    await until(() => expect(pids().map(isAlive)).toEqual([false, false]));
  });

  it('that cannot be served ends it too', async () => {
    const pids = await add(withChild());
    await connect();
    await until(() => expect(pids().length).toBe(2));
    const second = start([server.url.origin, pairingToken]);
    expect(await second.code).toBe(1);
  });

  it('PS-14 reads none from the folder that it works in', async () => {
    const { command, args } = scripted(beside(), '');
    writeFileSync(
      join(work, 'mcp-servers.json'),
      JSON.stringify({ version: 1, servers: { own: { command, args } } }),
    );
    writeFileSync(join(work, '.mcp.json'), JSON.stringify({ mcpServers: { own: { command, args } } }));
    const { out } = await connect();
    await run(['mcp', 'add', 'marker', '--', '/no/such/program']);
    await until(() => expect(out.stderr).toContain('marker: cannot be used'));
    expect(lists().join('')).not.toContain('own__echo');
  });
});
