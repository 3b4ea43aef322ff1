import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { sharedShell } from '../../../../test/support/shell-fixture.ts';
import { explain } from '../explain.ts';

const noNetwork = /^The command ran without network: .*Call again with /;
const isThere = (program: string) => spawnSync('/bin/sh', ['-c', `command -v ${program}`]).status === 0;

describeWith('bubblewrap')('without a network', () => {
  const shell = sharedShell();
  const project = () => {
    const world = shell();
    const file = (path: string, text: string) => writeFileSync(join(world.root, path), text, { mode: 0o755 });
    mkdirSync(join(world.root, 'node_modules/.bin'), { recursive: true });
    file('node_modules/.bin/installed', '#!/bin/sh\necho it ran\n');
    const dependencies = { 'not-to-be-found-a': '1.0.0' };
    file(
      'package.json',
      JSON.stringify({
        name: 'p',
        version: '1.0.0',
        dependencies,
        scripts: { test: 'installed', own: 'echo own' },
      }),
    );
    const packages = {
      '': { name: 'p', version: '1.0.0', dependencies },
      'node_modules/not-to-be-found-a': {
        version: '1.0.0',
        resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz',
      },
    };
    file('package-lock.json', JSON.stringify({ name: 'p', version: '1.0.0', lockfileVersion: 3, packages }));
    mkdirSync(join(world.root, 'crate/src'), { recursive: true });
    file(
      'crate/Cargo.toml',
      '[package]\nname = "p"\nversion = "0.1.0"\n[dependencies]\nnot-to-be-found-a = "1"\n',
    );
    file('crate/src/main.rs', 'fn main() {}\n');
    return world;
  };

  it.each(
    [
      ['npx', 'npx --no-install not-to-be-found-b || true'],
      ['npm', 'npm install not-to-be-found-b'],
      ['pip3', 'pip3 download --index-url https://pypi.example/simple not-to-be-found-b'],
      ['git', 'git clone https://git.example/a/b || true'],
      ['cargo', 'cd crate && cargo build'],
      ['cargo', 'cargo install not-to-be-found-b'],
      ['curl', 'curl -sS https://a.example || true'],
    ].filter(([program = '']) => isThere(program)),
  )('says so long before the time-out: %s: %s', { timeout: 60_000 }, async (_program, command = '') => {
    const { notes, exitCode } = await project().run(command, { timeout: 30_000 });
    expect([exitCode, notes]).toEqual([
      expect.any(Number),
      expect.arrayContaining([expect.stringMatching(noNetwork)]),
    ]);
    expect(notes?.join()).not.toContain('timedOut');
  });

  it.each([
    ['npx --no-install installed', 'it ran'],
    ['npm test', 'it ran'],
  ])('what is installed runs as before: %s', { timeout: 60_000 }, async (command, said) => {
    const { stdout, exitCode, notes } = await project().run(command, { timeout: 30_000 });
    expect([exitCode, stdout.includes(said), notes]).toEqual([0, true, undefined]);
  });

  it('SH-38 a command that timed out says so, and after how long', async () => {
    const { exitCode, notes } = await shell().run('echo begun; sleep 1000', { timeout: 1_000 });
    expect([exitCode, notes]).toEqual([
      null,
      [expect.stringMatching(/did not end within 1 s and was stopped/)],
    ]);
  });
});

describe('the notes of a command', () => {
  const ended = { exitCode: 1, stdout: '', stderr: '', timedOut: false };
  const about = {
    root: '/w',
    timeoutMs: 30_000,
    sandbox: true,
    look: () => ({ sees: () => true, isClosed: () => false }),
  };
  const timedOut = { ...ended, exitCode: null, timedOut: true };

  it.each<[string, Partial<typeof ended> | typeof timedOut, number]>([
    ['yarn add x', timedOut, 2],
    ['docker pull x', timedOut, 2],
    ['sleep 100', timedOut, 1],
    ['curl -sf x', {}, 1],
    ['npx tsc', { stdout: 'a.ts(1,1): error' }, 0],
    ['npm test', { exitCode: 0, stderr: 'connect ECONNREFUSED 127.0.0.1:1' }, 0],
    ['npm install; echo', { exitCode: 0, stderr: 'npm error code ENOTCACHED' }, 1],
    ['uv pip install x', { stderr: 'Network connectivity is disabled, but a request was made' }, 1],
    ['yarn add x', { stdout: 'Network access have been disabled by configuration' }, 1],
    ['go get x', { stderr: 'module lookup disabled by GOPROXY=off' }, 1],
    ['pnpm add x', { stderr: 'ERR_PNPM_NO_OFFLINE_META' }, 1],
    ['cargo build', { stderr: 'attempting to make an HTTP request, but --offline was specified' }, 1],
    ['pip install x', { stderr: 'ERROR: No matching distribution found for x' }, 1],
  ])('%s, ended with %j: %d', (command, how, count) => {
    expect(explain(command, { ...ended, ...how }, about).notes).toHaveLength(count);
  });

  it.each<[string, string, Partial<typeof ended>, string]>([
    [
      'git over ssh needs the login',
      'git clone git@github.com:ada/demo.git',
      {
        stderr:
          'ssh: Could not resolve hostname github.com: Temporary failure in name resolution\r\n' +
          'fatal: Could not read from remote repository.',
      },
      'call again with git: [{"repository":"github.com/ada/demo","access":"fetch"}]',
    ],
    [
      'a path is no help where rights are missing',
      'apt-get install jq',
      { stderr: 'W: Unable to read /etc/apt/x (2: No such file or directory)\nE: are you root?' },
      'sudo and su do not work there',
    ],
    ['a background job', 'npm run dev > log 2>&1 &', { exitCode: 0 }, 'process_start'],
    ['a background job with a word', 'nohup ./serve & echo started', { exitCode: 0 }, 'process_start'],
  ])('%s: %s', (_name, command, how, says) => {
    const seesNone = { sees: () => false, isClosed: () => false };
    const around = { ...about, look: () => seesNone, hasProcesses: true };
    expect(explain(command, { ...ended, ...how }, around).notes).toEqual([expect.stringContaining(says)]);
  });

  it.each(['npm test && echo "a & b"', 'sleep 1 & wait', 'make 2>&1', 'a & b; wait $!'])(
    'nothing was left in the background: %s',
    (command) => {
      const fine = { ...ended, exitCode: 0 };
      expect(explain(command, fine, { ...about, hasProcesses: true }).notes).toEqual([]);
    },
  );

  it('a time-out is told without a sandbox too', () => {
    expect(explain('curl x', timedOut, { ...about, sandbox: false }).notes).toEqual([
      expect.stringContaining('within 30 s'),
    ]);
  });
});
