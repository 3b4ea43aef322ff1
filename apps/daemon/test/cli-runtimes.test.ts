import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../../../e2e/services.ts';
import { home, run, setUpEachTest } from './support/start-cli.ts';

setUpEachTest();

const standIn = join(import.meta.dirname, 'support/acp-stand-in.mjs');
// A coding agent of the machine that runs the tests is not found there.
const noPrograms = { PATH: '/nowhere', GEMINI_API_KEY: 'key' };
const own = (name: string) => join(home, '.drawbridge', name);
const json = (name: string) => JSON.parse(readFileSync(own(name), 'utf8')) as Record<string, unknown>;
const enable = () =>
  run(['runtimes', 'enable', 'acp:mine', '--login', standIn, '--', process.execPath, standIn]);

describe('drawbridge runtimes', { timeout: 60_000 }, () => {
  it('RT-12 enables and disables; the group is off before and after', async () => {
    expect(await enable()).toMatchObject({ code: 0, stdout: expect.stringContaining('network') });
    expect(statSync(own('runtimes.json')).mode & 0o777).toBe(0o600);
    expect(json('runtimes.json')).toMatchObject({
      runtimes: { 'acp:mine': { command: process.execPath, args: [standIn], hosts: [], mode: 'default' } },
    });
    expect(json('settings.json')).toMatchObject({ modes: { runtime: 'ask' } });
    expect((await run(['runtimes', 'disable', 'acp:mine'])).code).toBe(0);
    expect(json('runtimes.json')).toMatchObject({ runtimes: {} });
    expect(json('settings.json')).toMatchObject({ modes: { runtime: 'deny' } });
  });

  it('doctor and runtimes test say what an enabled one lacks, and status lists it', async () => {
    await run(['runtimes', 'enable', 'codex', '--', process.execPath]);
    const { checks } = JSON.parse((await run(['doctor', '--json'])).stdout) as { checks: object[] };
    expect(checks).toContainEqual({
      ...{ name: 'agent', state: 'warning', fix: 'Run: codex login' },
      says: `codex, version ${process.versions.node}: not signed in`,
    });
    expect((await run(['status'])).stdout).toMatch(/^agents {8}codex: see .* runtimes$/m);
    expect(await run(['runtimes', 'test', 'codex'])).toMatchObject({
      ...{ code: 1, stdout: expect.stringMatching(/not signed in\n.*run codex login, outside of/) },
    });
  });

  it('adds to what is known of one', async () => {
    const given = ['--host', 'models.example.org', '--variable', 'OPENAI_BASE_URL', '--login', '~/.key'];
    await run(['runtimes', 'enable', 'opencode', ...given, '--', process.execPath]);
    const entry = (json('runtimes.json')['runtimes'] as Record<string, object>)['opencode'];
    expect(entry).toMatchObject({
      hosts: expect.arrayContaining(['opencode.ai', 'models.example.org']),
      passedVariables: expect.arrayContaining(['OPENAI_API_KEY', 'OPENAI_BASE_URL']),
      writes: expect.arrayContaining(['~/.local/share/opencode/auth.json', '~/.key']),
    });
  });

  it('lists what is missing and the command that mends it', async () => {
    await enable();
    const states = JSON.parse((await run(['runtimes', '--json'], noPrograms)).stdout) as object[];
    expect(states).toEqual([
      expect.objectContaining({ id: 'claude_code', missing: 'not found', signedIn: null }),
      expect.objectContaining({ id: 'codex', missing: 'not found', fix: 'npm install -g @openai/codex' }),
      expect.objectContaining({ id: 'pi_embedded', missing: 'not found' }),
      expect.objectContaining({
        ...{ id: 'gemini', enabled: false, missing: 'not found', signedIn: null },
        fix: 'npm install -g @google/gemini-cli',
      }),
      expect.objectContaining({ id: 'opencode', missing: 'not found', fix: 'npm install -g opencode-ai' }),
      expect.objectContaining({ id: 'acp:mine', enabled: true, path: process.execPath, missing: null }),
    ]);
    expect(await run(['runtimes', 'enable', 'gemini'], noPrograms)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Run npm install -g @google/gemini-cli.'),
    });
    expect(await run(['runtimes', 'enable', 'other'])).toMatchObject({ code: 2 });
    const { stdout } = await run(['runtimes', 'enable', '--help']);
    expect(stdout).toContain('claude_code, codex, pi_embedded, gemini, opencode, or');
    expect(stdout).not.toContain('default');
  });
});

describe('whether Claude Code is signed in', { timeout: 60_000 }, () => {
  it.each([
    [false, 1, 'not signed in'],
    [true, 0, null],
  ])('%s: it says so itself', async (loggedIn, code, missing) => {
    const folder = join(home, 'programs');
    mkdirSync(folder);
    const answer = `if [ "$1" = auth ]; then echo '{"loggedIn":${loggedIn}}'; exit ${code}; fi`;
    const script = `#!/bin/sh\n${answer}\necho 2.1.330\n`;
    writeFileSync(join(folder, 'claude'), script, { mode: 0o755 });
    const states = JSON.parse((await run(['runtimes', '--json'], { PATH: folder })).stdout) as object[];
    const fix = missing && 'claude auth login';
    expect(states[0]).toMatchObject({ version: '2.1.330', signedIn: loggedIn, missing, fix });
  });
});

describeWith('bubblewrap')('drawbridge runtimes test', () => {
  it('starts it in its sandbox', async () => {
    await enable();
    expect(await run(['runtimes', 'test', 'acp:mine'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('started in its sandbox'),
    });
  });
});
