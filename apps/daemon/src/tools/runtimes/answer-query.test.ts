import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mode } from '@drawbridge/contracts/groups';
import { runtimeList } from '@drawbridge/contracts/machines/runtimes';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { makeFolders } from '../../../test/support/tool-fixture.ts';
import { createRuntimesAnswer } from './answer-query.ts';

const standIn = join(import.meta.dirname, '../../../test/support/acp-stand-in.mjs');
const entry = { title: 'Mine', command: process.execPath, args: [standIn], reads: [standIn] };

/** A machine with a `gemini` on its path, which leaves a mark when it is started, and one that is enabled. */
const machine = (runtimes: object = { 'acp:mine': entry }) => {
  const { own, base } = makeFolders();
  const programs = join(base, 'programs');
  const mark = join(base, 'started');
  mkdirSync(programs);
  writeFileSync(join(programs, 'gemini'), `#!/bin/sh\n: > '${mark}'\necho 0.61.0\n`, { mode: 0o755 });
  const file = join(own, 'runtimes.json');
  writeFileSync(file, JSON.stringify({ version: 1, runtimes }), { mode: 0o600 });
  const state = { mode: 'ask' as Mode };
  const answer = createRuntimesAnswer({ privateFolder: own, path: programs, mode: () => state.mode });
  const find = async (id: string) =>
    runtimeList.parse(await answer({ type: 'list' })).runtimes.find((one) => one.id === id);
  return { answer, state, find, file, mark, own };
};

it('RT-17 says what is missing and the command that mends it; what is not enabled is not started', async () => {
  const { find, state, mark } = machine();
  expect(await find('claude_code')).toMatchObject({
    ...{ isFound: false, isEnabled: false, missing: 'not found' },
    fix: 'npm install -g @anthropic-ai/claude-code',
  });
  expect(await find('gemini')).toMatchObject({
    ...{ isFound: true, isEnabled: false, version: null, isSignedIn: null, missing: 'not enabled' },
    fix: expect.stringMatching(/runtimes enable gemini$/),
  });
  expect(existsSync(mark)).toBe(false);
  expect(await find('acp:mine')).toMatchObject({ isFound: true, isEnabled: true, missing: null, fix: null });
  state.mode = 'deny';
  expect(await find('acp:mine')).toMatchObject({ missing: 'coding agents are on deny' });
});

it('RT-17 a test starts none that is not enabled, and none while the group is on deny', async () => {
  const { answer, state, mark, file } = machine();
  const { tested } = await answer({ type: 'test', runtime: 'gemini' });
  expect(tested).toEqual({ runtime: 'gemini', reason: 'It is not enabled on this machine' });
  state.mode = 'deny';
  expect((await answer({ type: 'test', runtime: 'acp:mine' })).tested).toMatchObject({
    reason: 'Coding agents are on deny on this machine',
  });
  expect(existsSync(mark)).toBe(false);
  writeFileSync(file, 'broken');
  expect((await answer({ type: 'list' })).runtimes.some(({ isEnabled }) => isEnabled)).toBe(false);
});

it.each([
  ['sk-own', true, null],
  ['', false, 'not signed in'],
])('is signed in by a key of its entry: %j', async (key, isSignedIn, missing) => {
  const { base } = makeFolders();
  const claude = join(base, 'claude');
  const status = `{"loggedIn":'$([ -n "$ANTHROPIC_API_KEY" ] && echo true || echo false)'}`;
  writeFileSync(claude, `#!/bin/sh\n[ "$1" = auth ] && echo '${status}' || echo 2.1.330\n`, { mode: 0o755 });
  const { find } = machine({
    claude_code: { title: 'Claude Code', command: claude, env: { ANTHROPIC_API_KEY: key } },
    pi_embedded: { title: 'Pi', command: process.execPath, env: { OPENAI_API_KEY: key } },
  });
  expect(await find('claude_code')).toMatchObject({ isSignedIn, missing });
  // Whether one is signed in by the files of its login is known to this machine alone.
  if (isSignedIn) expect(await find('pi_embedded')).toMatchObject({ isSignedIn, missing });
});

describeWith('bubblewrap')('a test of one that is enabled', () => {
  it('starts it in its sandbox, and says why it does not work', async () => {
    const broken = { ...entry, args: [standIn, '--signed-out'] };
    const kept = join(makeFolders().base, 'kept');
    const counted = `echo started >> '${kept}/starts'; exec '${process.execPath}' '${standIn}'`;
    const mine = {
      ...{ title: 'Mine', command: '/bin/sh', args: ['-c', counted], folders: [kept] },
      reads: [process.execPath, standIn],
    };
    const { answer, own } = machine({ 'acp:mine': mine, 'acp:out': broken });
    const ask = () => answer({ type: 'test', runtime: 'acp:mine' });
    const [one, other] = await Promise.all([ask(), ask()]);
    expect([one.tested, other.tested]).toEqual([
      { runtime: 'acp:mine', reason: null },
      { runtime: 'acp:mine', reason: null },
    ]);
    // Two tests at the same time are one start.
    const place = join(own, 'runtimes/acp-mine');
    const [folder = ''] = readdirSync(place);
    expect(readFileSync(join(place, folder, 'starts'), 'utf8')).toBe('started\n');
    const { tested } = runtimeList.parse(await answer({ type: 'test', runtime: 'acp:out' }));
    expect(tested?.reason).toContain('Authentication required');
  });
});
