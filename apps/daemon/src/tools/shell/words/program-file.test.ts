import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { afterEach, expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders, textOf, openTools } from '../../../../test/support/tool-fixture.ts';
import { fingerprintOfProgram } from './program-file.ts';

afterEach(() => vi.unstubAllEnvs());

/** A search path of two folders beside the root, with a program `rg` in the second. */
const start = () => {
  const { root, outside } = makeFolders();
  const [first, second] = [join(outside, 'first'), join(outside, 'second')];
  for (const folder of [first, second]) mkdirSync(folder);
  const put = (path: string, text: string) => {
    writeFileSync(path, text);
    chmodSync(path, 0o755);
  };
  put(join(second, 'rg'), '#!/bin/sh\necho one\n');
  vi.stubEnv('PATH', `${first}:${second}`);
  return { root, outside, first, second, put, now: () => fingerprintOfProgram(root, 'rg word') };
};

it('stays while the file does', () => {
  const { now, first, put } = start();
  const before = now();
  put(join(first, 'other'), 'x');
  expect([typeof before, now()]).toEqual(['string', before]);
});

type World = ReturnType<typeof start>;

it.each<[string, (world: World) => void]>([
  ['another content at its path', ({ put, second }) => put(join(second, 'rg'), '#!/bin/sh\necho two\n')],
  [
    'another file in its place',
    ({ put, second }) => {
      put(join(second, 'new'), '#!/bin/sh\necho two\n');
      renameSync(join(second, 'new'), join(second, 'rg'));
    },
  ],
  ['a program of that name earlier on the path', ({ put, first }) => put(join(first, 'rg'), '#!/bin/sh\n')],
  [
    'the same content elsewhere, by a link',
    ({ put, first, second }) => {
      put(join(first, 'copy'), '#!/bin/sh\necho one\n');
      rmSync(join(second, 'rg'));
      symlinkSync(join(first, 'copy'), join(second, 'rg'));
    },
  ],
])('SH-43 is another one with %s', (_what, change) => {
  const world = start();
  const before = world.now();
  change(world);
  expect(typeof world.now()).toBe('string');
  expect(world.now()).not.toBe(before);
});

it.each<[string, (world: World) => void]>([
  [
    'a link into the folder in which calls may write',
    ({ put, root, second }) => {
      put(join(root, 'rg'), '#!/bin/sh\necho one\n');
      rmSync(join(second, 'rg'));
      symlinkSync(join(root, 'rg'), join(second, 'rg'));
    },
  ],
  [
    'a path in that folder',
    ({ put, root, second }) => {
      put(join(root, 'rg'), '#!/bin/sh\necho one\n');
      rmSync(join(second, 'rg'));
      vi.stubEnv('PATH', `${root}:.::${second}`);
    },
  ],
  ['no file', ({ second }) => rmSync(join(second, 'rg'))],
  [
    'a folder of that name',
    ({ second }) => {
      rmSync(join(second, 'rg'));
      mkdirSync(join(second, 'rg'));
    },
  ],
])('SH-43 is missing for %s', (_what, change) => {
  const world = start();
  change(world);
  expect(world.now()).toBeUndefined();
});

describeWith('bubblewrap')('a command that was allowed with further words', () => {
  const isAsked = (result: ToolResult) => textOf(result).startsWith('GATEWAY_CONFIRMATION_REQUIRED::');

  const open = async () => {
    const world = await openTools({ modes: { shell: 'ask' } });
    for (const name of ['a', 'b']) writeFileSync(join(world.root, name), `${name}\n`);
    const send = (requestId: string, command: string, more: object = {}) =>
      world.send({ requestId, toolCall: { name: 'shell_execute', arguments: { command, ...more } } });
    const answer = (requestId: string, command: string, reach: string) =>
      world.send({
        requestId,
        reach,
        toolCall: { name: 'shell_execute', arguments: { command, _confirmation: 'alwaysAllow' } },
      });
    return { ...world, send, answer };
  };

  it('SH-41 runs with other words, and asks for anything else', async () => {
    const { send, answer } = await open();
    expect(isAsked(await send('r1', 'cat a'))).toBe(true);
    expect(textOf(await answer('r1', 'cat a', 'words'))).toContain('a\\n');
    expect(textOf(await send('r2', 'cat a b'))).toContain('a\\nb\\n');
    for (const command of ['cat b', 'cat a; id', 'cat a $(id)', 'cat a "b"', 'cat a\nid', 'X=1 cat a'])
      expect([command, isAsked(await send(command, command))]).toEqual([command, true]);
  });

  it('SH-43 runs no program that lies in the folder', async () => {
    const { send, answer, root } = await open();
    await send('r1', 'cat a');
    await answer('r1', 'cat a', 'words');
    writeFileSync(join(root, 'cat'), '#!/bin/sh\necho mine\n', { mode: 0o755 });
    expect(textOf(await send('r2', 'cat a b'))).toContain('a\\nb\\n');
  });
});
