import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forbidden, json, pairingToken } from './support/gateway-server.ts';
import { connect, home, run, server, setUpEachTest, tellingLoaded, until } from './support/start-cli.ts';

setUpEachTest();

describe('drawbridge', () => {
  it('prints its help with an example, and its version, on stdout', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(
      /^ +\$ \S+ \S+cli\.cjs https:\/\/bridge\.example\.org gw_… ~\/projects\/site$/m,
    );
    for (const group of [
      'filesystem-read',
      'filesystem-write',
      'shell',
      'computer',
      'browser',
      'mcp',
      'system',
    ]) {
      expect(help.stdout).toContain(`--permission-${group} <mode>`);
    }
    expect(await run(['--version'])).toMatchObject({ code: 0, stdout: '0.1.0\n' });
  });

  it('fits 80 columns in every help, with the commands before the flags', async () => {
    const root = await run(['--help']);
    expect(root.stdout.indexOf('\nCommands:')).toBeLessThan(root.stdout.indexOf('\nOptions:'));
    const pages = await Promise.all(
      ['connect', 'permissions', 'tui', 'service'].map((name) => run([name, '--help'])),
    );
    // A path is one word, and is never folded.
    const isOver = (line: string) => line.length > 80 && !/^ *\$ |^Usage: |cli\.cjs|^ *\S+$/.test(line);
    expect([root, ...pages].flatMap(({ stdout }) => stdout.split('\n')).filter(isOver)).toEqual([]);
  });

  it('prints one JSON value on stdout with --json, and nothing beside it', async () => {
    const all = [
      ...['status', 'tools', 'permissions list', 'mcp list', 'doctor', 'disconnect', 'service status'],
      'uninstall --yes',
    ];
    for (const words of all) {
      const { stdout } = await run([...words.split(' '), '--json']);
      expect(() => JSON.parse(stdout), words).not.toThrow();
    }
    for (const words of ['pair', 'update'])
      expect(await run([...words.split(' '), '--json'])).toMatchObject({ stdout: '' });
  });

  it('starts without what only tools and other commands need', async () => {
    const { stderr } = await run(['--version'], await tellingLoaded());
    expect(stderr).toBe('loaded hook.cjs cli.cjs compile-cache rolldown-runtime main libraries shared\n');
  });

  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['an unknown flag', ['--auto-confirm'], {}, /^error {2}There is no option '--auto-confirm'\.\nnext /],
    [
      'too many words',
      ['https://x.example', pairingToken, '.', 'more'],
      {},
      /^error {2}There are too many arguments/,
    ],
    [
      'an unknown mode',
      ['connect', '--permission-shell', 'yes'],
      {},
      /^error {2}--permission-shell cannot be 'yes'\.\nnext {3}Use one of deny, ask, allow\.$/m,
    ],
    [
      'http:// to another machine',
      ['http://192.0.2.1', pairingToken],
      {},
      /^error {2}The address of the server cannot be used/,
    ],
    ['no session to go on with', ['connect'], {}, /^error {2}This machine has no saved session/],
    [
      'a folder that is not there',
      ['https://x.example', pairingToken, 'nowhere'],
      {},
      /^error {2}There is no folder nowhere/,
    ],
    [
      'NG-16 the whole disk',
      ['https://x.example', pairingToken, '/'],
      {},
      /^error {2}\/ cannot be shared: it is or holds a home folder.*\n.*Share a folder inside of it/,
    ],
    [
      'NG-16 the home folder',
      ['https://x.example', pairingToken, '..'],
      {},
      /cannot be shared: it is or holds a home folder/,
    ],
    [
      'a question without a terminal',
      ['https://x.example', pairingToken, '--confirm', 'terminal'],
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
      'BR-03 the own browser',
      ['https://x.example', pairingToken, '--browser', 'local'],
      {},
      /^error {2}--browser is local: your own browser is not offered.*\nnext {3}Use persistent/,
    ],
    [
      'a looser mode for system',
      ['https://x.example', pairingToken, '--permission-system', 'allow'],
      {},
      /only be changed in .*settings\.json/,
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
    const groups = ['filesystem-read', 'filesystem-write', 'shell', 'computer', 'browser', 'mcp', 'system'];
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

  it('LG-09 does not open the inspector on SIGUSR1', async () => {
    const { child, code, out } = await connect();
    child.kill('SIGUSR1');
    child.kill('SIGTERM');
    expect(await code).toBe(0);
    expect(out.stderr).not.toMatch(/inspector/i);
  });

  it('says how to pair again when the token is used up', async () => {
    server.answer('init', forbidden);
    const result = await run([server.url.origin, pairingToken]);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain(
      'error  The server does not know this token or key: it was mistyped, or belongs to another server\nnext   Open',
    );
    expect(server.seen).toHaveLength(1);
    const used = { code: 'PAIRING_TOKEN_USED', message: 'This pairing token was used already' };
    server.answer('init', json(403, used));
    for (const words of [
      [server.url.origin, pairingToken],
      ['pair', server.url.origin, pairingToken],
    ])
      expect(await run(words)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^error {2}This pairing token was used already\nnext .* connect\. /m),
      });
  });

  it.each([
    [['statsu'], 'There is no command statsu. Did you mean status?'],
    [['Permision'], 'There is no command Permision. Did you mean permissions?'],
    [['bridge.example.org'], 'Not an address or a command: bridge.example.org'],
    [
      ['https://x.example', 'gw_short'],
      'This pairing token is mistyped: it has 8 characters, and a token has 35',
    ],
    [['pair', 'https://x.example', 'gw_short'], 'This pairing token is mistyped: it has 8 characters'],
  ])('%j is refused with its cause', async (words, cause) => {
    expect(await run(words)).toMatchObject({ code: 2, stderr: expect.stringContaining(cause) });
  });

  it('says that one runs already, before anything is asked or sent', async () => {
    await connect();
    await until(async () => expect((await run(['status'])).code).toBe(0));
    const before = server.seen.length;
    expect(await run([server.url.origin, pairingToken])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^error {2}drawbridge is already running: process \d+, .*work, connected\nnext {3}Each user shares one folder with a server\. .* connect --dir <folder>\./,
      ),
    });
    expect(server.seen).toHaveLength(before);
  });

  it('saves a mode, which a session then starts with, and says where each comes from', async () => {
    expect(await run(['permissions', 'set', 'shell', 'ask'])).toMatchObject({
      code: 0,
      stdout: 'saved         run commands: ask\n',
    });
    const file = JSON.parse(await readFile(join(home, '.drawbridge/settings.json'), 'utf8'));
    expect(file).toMatchObject({ modes: { shell: 'ask' } });
    const listed = (await run(['permissions'])).stdout;
    expect(listed).toMatch(/^run commands {6}ask {4}saved \(settings\.json\)$/m);
    expect(listed).toMatch(/^change files {6}ask {4}default$/m);
    for (const wrong of [
      ['system', 'allow'],
      ['shell', 'maybe'],
      ['nothing', 'ask'],
    ])
      expect(await run(['permissions', 'set', ...wrong])).toMatchObject({ code: 2, stdout: '' });
    const { out } = await connect();
    expect(out.stderr).toMatch(/run commands +ask/);
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
    expect(listed.stdout).toMatch(/^run commands +ask +saved \(settings\.json\)$/m);
    expect(listed.stdout).toContain(
      '1  deny   run any command with rm\n          not used yet\n2  allow  change or delete /w/\\x1b[2Ja\n',
    );
    expect(await run(['permissions', 'remove', '2'])).toEqual({
      code: 0,
      stdout: 'removed  allow  change or delete /w/\\x1b[2Ja\n',
      stderr: '',
    });
    expect(JSON.parse(await readFile(settings, 'utf8'))).toMatchObject({
      rules: { deny: rules.deny, allow: [] },
    });
    for (const wrong of ['2', '0', '-1', '1e0', 'all']) {
      expect(await run(['permissions', 'remove', '--', wrong])).toMatchObject({ code: 2, stdout: '' });
    }
  });

  it('adds permanent rules, and takes all of them back', async () => {
    await mkdir(join(home, 'notes'));
    const notes = await realpath(join(home, 'notes'));
    const added = await run(['permissions', 'allow', 'filesystemWrite', notes, '--reach', 'folder']);
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(added.stdout).toMatch(/^added {4}allow {2}change or delete files in .*notes and below\n$/);
    await run(['permissions', 'deny', 'shell', 'curl']);
    const listed = await run(['permissions', '--json']);
    const time = { madeAt: expect.any(String), usedAt: null };
    expect(JSON.parse(listed.stdout)).toMatchObject({
      remoteRules: false,
      rules: [
        { number: 1, effect: 'deny', toolGroup: 'shell', resource: 'curl', reach: 'exact', ...time },
        { number: 2, effect: 'allow', resource: `${notes}/`, reach: 'folder', ...time },
      ],
    });
    for (const wrong of [
      ['allow', 'everything', 'x'],
      ['allow', 'browser', 'github.io', '--reach', 'subdomains'],
      ['allow', 'mcp', 'files/read'],
      ['allow', 'shell', 'sh', '--reach', 'words'],
      ['allow', 'shell', 'npm test --prefix x', '--reach', 'words'],
      ['reset'],
    ]) {
      expect(await run(['permissions', ...wrong])).toMatchObject({ code: 2, stdout: '' });
    }
    const [bare, starred] = [
      await run(['permissions', 'allow', 'shell', 'ls', '--reach', 'words']),
      await run(['permissions', 'allow', 'shell', 'npm *']),
    ];
    expect(bare.stdout).toMatch(/^added {4}allow {2}run `ls` with any further plain words in .*work\n$/);
    expect(starred.stdout).toMatch(/^added {4}allow {2}run in .*work: npm \*\n/);
    expect(starred.stdout).toContain('The * stands for itself: this rule matches exactly these letters.\n');
    expect(starred.stdout).toMatch(
      /^For further words: .* permissions allow shell 'npm test' --reach words$/m,
    );
    expect((await run(['permissions', 'reset', '--yes'])).stdout).toBe('removed  all 4 permanent rules\n');
    expect((await run(['permissions'])).stdout).toContain('There are no permanent rules.');
  });
});
