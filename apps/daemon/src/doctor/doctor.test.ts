import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { checkFiles, checkNode, checkServer } from './index.ts';
import {
  checkGit,
  checkLimits,
  checkTerminal,
  evaluateDisk,
  fullDiskBytes,
  lowDiskBytes,
} from './machine.ts';
import { evaluateWsl } from './wsl.ts';
import { answerMs, clockLimitMs, evaluateClock } from './server.ts';

it.each([
  ['22.12.0', 'problem'],
  ['20.20.2', 'problem'],
  ['22.13.0', 'ok'],
  ['24.1.0', 'ok'],
])('Node %s is %s', (version, state) => expect(checkNode(version).state).toBe(state));

it.each([
  [fullDiskBytes - 1, 'problem'],
  [fullDiskBytes, 'warning'],
  [lowDiskBytes - 1, 'warning'],
  [lowDiskBytes, 'ok'],
])('%d free bytes are %s', (bytes, state) => expect(evaluateDisk(bytes).state).toBe(state));

it('says what limits the commands of this machine, and how to get more of them', () => {
  expect(checkLimits('linux', true)).toMatchObject({
    state: 'ok',
    says: expect.stringContaining('together'),
  });
  expect(checkLimits('linux', false)).toMatchObject({
    state: 'warning',
    fix: expect.stringContaining('CONFIG_PROC_CHILDREN'),
  });
});

it.each([
  [['git', 'ssh'], 'ok', 'git and ssh are there'],
  [['git'], 'note', 'no ssh'],
  [[], 'note', 'no git and no ssh'],
])('with %j the row of the git login is %s', (there, state, says) => {
  expect(checkGit((name) => there.includes(name))).toMatchObject({
    state,
    says: expect.stringContaining(says),
  });
});

it.each([
  ['linux', ['script', 'stty'], 'ok', 'script and stty are there'],
  ['linux', ['stty'], 'note', 'no script'],
  ['darwin', [], 'note', 'on Linux only'],
] as const)('on %s with %j the row of terminals is %s', (platform, there, state, says) => {
  expect(checkTerminal(platform, (name) => there.some((one) => one === name))).toMatchObject({
    state,
    says: expect.stringContaining(says),
  });
});

const mounts = `/dev/sdc / ext4 rw 0 0
none /mnt/wsl tmpfs rw 0 0
C:\\134 /mnt/c 9p rw 0 0
drvfs /mnt/d drvfs rw 0 0
`;
const wsl1 = 'Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com) (gcc version 5.4.0 (GCC) ) #1237';
const wsl2 = 'Linux version 5.15.167.4-microsoft-standard-WSL2 (root@f9c826d3017f) (gcc (GCC) 11.2.0) #1 SMP';
const debian =
  'Linux version 6.1.0-28-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14)) #1 SMP';

it.each([
  ['another Linux', debian, '/mnt/c/app', undefined, []],
  ['WSL 1', wsl1, '/home/ada/app', undefined, ['problem', 'WSL 1']],
  ['WSL 2', wsl2, '/home/ada/app', 'nat\n', ['ok', 'WSL 2']],
  ['WSL 2 without wslinfo', wsl2, '/mnt/own', undefined, ['ok', 'WSL 2']],
  ['a folder of Windows', wsl2, '/mnt/c/app', 'nat\n', ['warning', '/mnt/c/app']],
  ['a disk of Windows', wsl2, '/mnt/d', undefined, ['warning', '/mnt/d']],
  ['a name that begins like one', wsl2, '/mnt/cc', undefined, ['ok', 'WSL 2']],
  ['mirrored network', wsl2, '/home/ada/app', 'mirrored\n', ['note', 'mirrored']],
] as const)('%s has its row of WSL', (_name, version, folder, networking, [state, says]) => {
  const expected = state === undefined ? [] : [{ name: 'wsl', state, says: expect.stringContaining(says) }];
  expect(evaluateWsl({ version, mounts, folder, networking })).toMatchObject(expected);
});

const serverMs = Date.UTC(2026, 0, 1);
const date = new Date(serverMs).toUTCString();

it.each([
  ['at the same second', serverMs + 500, 'ok', 'agrees with the server'],
  ['at the limit', serverMs + 1_000 + clockLimitMs, 'ok', 'agrees with the server'],
  ['beyond it', serverMs + 2_000 + clockLimitMs, 'warning', '61 s ahead of the server'],
  ['an hour late', serverMs - 3_600_000, 'warning', '3600 s behind the server'],
])('a clock %s: %s', (_name, nowMs, state, says) => {
  expect(evaluateClock(date, { fromMs: nowMs, toMs: nowMs })).toMatchObject({ state, says });
});

const serve = async (answer: RequestListener): Promise<URL> => {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // Listening on TCP, the address is an object.
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
};

it.each<[string, RequestListener, string[]]>([
  [
    'a Drawbridge server',
    (_request, response) => response.setHeader('content-type', 'application/json').end('{"ok":true}'),
    ['ok', 'ok'],
  ],
  [
    'another site',
    (_request, response) => response.setHeader('content-type', 'text/html').end('<h1>hotel</h1>'),
    ['problem', 'ok'],
  ],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: 'http://example.org' }).end(),
    ['problem', 'ok'],
  ],
  ['a cut', (request) => request.socket.destroy(), ['problem', 'note']],
])('%s', async (_name, answer, states) => {
  const checks = await checkServer(await serve(answer), systemClock);
  expect(checks.map(({ state }) => state)).toEqual(states);
});

it('waits for a silent server so long that doctor takes less than 3 s', async () => {
  const clock = createFakeClock();
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => (asked = resolve));
  const checks = checkServer(await serve(() => asked()), clock);
  await isAsked;
  clock.advance(answerMs);
  expect(await checks).toMatchObject([
    { says: expect.stringContaining('no answer in time') },
    { state: 'note' },
  ]);
  expect(answerMs).toBeLessThan(2_000);
});

it('PS-04 sees own files that others can read, and links, and changes none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-doctor-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = join(folder, 'own');
  expect(await checkFiles(own)).toMatchObject({ state: 'note' });
  mkdirSync(own, { mode: 0o700 });
  mkdirSync(join(own, 'logs'), { mode: 0o700 });
  const file = join(own, 'logs/a.log');
  writeFileSync(file, '', { mode: 0o600 });
  expect(await checkFiles(own)).toMatchObject({ state: 'ok' });
  chmodSync(file, 0o640);
  const open = { state: 'warning', says: `${file} is open to others` };
  expect(await checkFiles(own)).toMatchObject(open);
  expect(await checkFiles(own)).toMatchObject(open);
  chmodSync(file, 0o600);
  const profiles = join(own, 'browser');
  mkdirSync(profiles, { mode: 0o700 });
  writeFileSync(join(profiles, 'Last Version'), '', { mode: 0o644 });
  expect(await checkFiles(own)).toMatchObject({ state: 'ok' });
  chmodSync(profiles, 0o755);
  expect(await checkFiles(own)).toMatchObject({ state: 'warning', says: `${profiles} is open to others` });
  chmodSync(profiles, 0o700);
  mkdirSync(join(own, 'runtimes/codex'), { mode: 0o700, recursive: true });
  symlinkSync('/tmp', join(own, 'runtimes/codex/tmp'));
  // Node makes the first one, and the second is a copy of what every user can read.
  for (const name of ['compile-cache', 'etc']) {
    mkdirSync(join(own, name));
    symlinkSync('/usr/lib/os-release', join(own, name, 'os-release'));
  }
  expect(await checkFiles(own)).toMatchObject({ state: 'ok' });
  symlinkSync('/etc/passwd', join(own, 'settings.json'));
  expect(await checkFiles(own)).toMatchObject({ state: 'problem' });
});
