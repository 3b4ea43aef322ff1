import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forbidden, pairingToken } from './gateway-server.ts';
import { connect, home, run, server, tellingLoaded } from './start-cli.ts';

describe('drawbridge', { timeout: 30_000 }, () => {
  it('prints its help with an example, and its version, on stdout', async () => {
    const help = await run(['--help']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('$ drawbridge https://bridge.example.org gw_… ~/projects/site');
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

  it('starts without what only tools and other commands need', async () => {
    const { stderr } = await run(['--version'], await tellingLoaded());
    expect(stderr).toBe('loaded hook.cjs cli.cjs rolldown-runtime shared\n');
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
      'BR-03 the own browser',
      ['https://x.example', 'gw_a', '--browser', 'local'],
      {},
      /^error {2}--browser is local: your own browser is not offered.*\nnext {3}Use persistent/,
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
      'error  The server does not take this key (Forbidden (HTTP 403))\nnext   Open the panel',
    );
    expect(server.seen).toHaveLength(1);
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
    expect(listed.stdout).toContain(
      '1  deny   run rm\n          not used yet\n2  allow  write /w/\\x1b[2Ja\n',
    );
    expect(await run(['permissions', 'remove', '2'])).toEqual({
      code: 0,
      stdout: 'removed  allow  write /w/\\x1b[2Ja\n',
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
    expect(added.stdout).toMatch(/^added {4}allow {2}write in .*notes and below\n$/);
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
      ['reset'],
    ]) {
      expect(await run(['permissions', ...wrong])).toMatchObject({ code: 2, stdout: '' });
    }
    expect((await run(['permissions', 'reset', '--yes'])).stdout).toBe('removed  all 2 permanent rules\n');
    expect((await run(['permissions'])).stdout).toContain('There are no permanent rules.');
  });
});
