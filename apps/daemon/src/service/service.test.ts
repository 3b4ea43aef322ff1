import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findManager } from './manager.ts';
import { launchdPlist } from './launchd-plist.ts';
import { systemdUnit } from './systemd-unit.ts';

const facts = {
  node: process.execPath,
  cli: '/opt/a b/cli.js',
  args: ['--permission-shell', 'deny'],
  folder: '/srv/100% "mine" $HOME \\ <&>',
  path: '/usr/bin:/opt/$x',
};

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

it('writes a unit in which every word stands for itself', () => {
  const lines = systemdUnit(facts).split('\n');
  expect(lines).toContain(
    `ExecStart="${process.execPath}" "/opt/a b/cli.js" "connect" "--non-interactive" "--dir" "/srv/100%% \\"mine\\" $$HOME \\\\ <&>" "--permission-shell" "deny"`,
  );
  expect(lines).toContain('Environment="PATH=/usr/bin:/opt/$x"');
  expect(lines).toContain('Restart=on-failure');
  expect(() => systemdUnit({ ...facts, folder: '/a\nExecStartPre=/bin/evil' })).toThrow('line break');
});

const hasAnalyze = spawnSync('systemd-analyze', ['--version'], { stdio: 'ignore' }).status === 0;

it.skipIf(!hasAnalyze)('writes a unit that systemd-analyze accepts [no systemd-analyze]', () => {
  const path = join(makeFolder(), 'drawbridge.service');
  writeFileSync(path, systemdUnit(facts));
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', path], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', HOME: makeFolder(), XDG_RUNTIME_DIR: makeFolder() },
  });
  expect([status, stderr.split('\n').filter((line) => line.includes('drawbridge'))]).toEqual([0, []]);
});

it('writes a property list in which every word stands for itself', () => {
  const plist = launchdPlist(facts);
  expect(plist).toContain('<string>/srv/100% "mine" $HOME \\ &lt;&amp;&gt;</string>');
  expect(plist.match(/<string>/g)).toHaveLength(10);
  expect(() => launchdPlist({ ...facts, folder: '/a\u0007' })).toThrow('control character');
});

it.each([
  [
    'linux',
    '/home/ann/.config/systemd/user/drawbridge.service',
    [
      'systemctl --user daemon-reload',
      'systemctl --user enable drawbridge.service',
      'systemctl --user restart drawbridge.service',
    ],
  ],
  [
    'darwin',
    '/home/ann/Library/LaunchAgents/org.drawbridge.daemon.plist',
    [
      'launchctl bootout gui/501/org.drawbridge.daemon',
      'launchctl bootstrap gui/501 /home/ann/Library/LaunchAgents/org.drawbridge.daemon.plist',
    ],
  ],
] as const)('on %s tells the system of the person, never as root', async (platform, path, told) => {
  const seen: string[] = [];
  const manager = findManager({ platform, home: '/home/ann', uid: 501 }, async (command, args) => {
    seen.push([command, ...args].join(' '));
    return { ok: true, words: '' };
  });
  expect(manager?.path).toBe(path);
  await manager?.start();
  expect(seen).toEqual(told);
});

it('knows none on Windows', () => {
  const none = findManager({ platform: 'win32', home: 'C:\\', uid: 0 }, async () => ({
    ok: true,
    words: '',
  }));
  expect(none).toBe(null);
});
