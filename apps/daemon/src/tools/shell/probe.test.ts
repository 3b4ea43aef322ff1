import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { makeFolders } from '../try-out.ts';
import { createOpenLauncher, createSandboxedLauncher, type Launcher } from './launch.ts';
import { probe } from './probe.ts';
import { shellFamily } from './shell-family.ts';

const context = (folders: { root: string; own: string }) => ({
  root: folders.root,
  privateFolder: folders.own,
  clock: systemClock,
  access: async () => 'allow' as const,
  changed: () => undefined,
});

/** The family on a machine whose programs are these scripts. */
const openWith = async (programs: Record<string, string>) => {
  const folders = makeFolders();
  const bin = join(folders.base, 'bin');
  mkdirSync(bin);
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  const before = process.env['PATH'];
  process.env['PATH'] = [bin, ...(programs['bwrap'] === undefined ? [] : ['/usr/bin', '/bin'])].join(
    delimiter,
  );
  onTestFinished(() => void (process.env['PATH'] = before));
  const family = shellFamily({ sandbox: true });
  await family.open(context(folders));
  return { ...folders, family };
};

describeWith('bubblewrap')('SH-35 a sandbox that holds', () => {
  it('is offered, and leaves nothing behind', async () => {
    const folders = makeFolders();
    const family = shellFamily({ sandbox: true });
    await family.open(context(folders));
    expect([family.missing(), family.warning?.(), family.tools().map(({ told }) => told.name)]).toEqual([
      null,
      null,
      ['shell_execute'],
    ]);
    expect([folders.root, folders.own].map((folder) => readdirSync(folder))).toEqual([[], []]);
  });

  it('is offered also where the root is the whole disk', async () => {
    const { own } = makeFolders();
    const place = { root: '/', privateFolder: own };
    expect(await probe(place, createSandboxedLauncher(place), systemClock)).toBeNull();
  });

  /** A real sandbox with one wall taken out. */
  const without = (given: { root: string; own: string }, change: (text: string) => string): Launcher => {
    const launcher = createSandboxedLauncher({ root: given.root, privateFolder: given.own });
    return async (need) => {
      const launch = await launcher(need);
      return { ...launch, arguments: launch.arguments.map(change) };
    };
  };

  it.each<[string, (text: string, at: { own: string }) => string]>([
    ['a command can connect to other programs', (text) => text.replace(' --unshare-net', '')],
    ['a command can write outside the folder', (text) => text.replace(' --ro-bind / /', ' --bind / /')],
    [
      "a command can read drawbridge's own folder",
      (text, { own }) => text.replaceAll(` --tmpfs ${own}`, '').replaceAll(` --ro-bind ${own} ${own}`, ''),
    ],
  ])('is not trusted where %s', async (reason, change) => {
    const folders = makeFolders();
    const launcher = without(folders, (text) => change(text, folders));
    expect(await probe({ root: folders.root, privateFolder: folders.own }, launcher, systemClock)).toBe(
      reason,
    );
  });
});

describe('SH-35 without a sandbox', () => {
  it('nothing is trusted', async () => {
    const { root, own } = makeFolders();
    const place = { root, privateFolder: own };
    expect(await probe(place, createOpenLauncher(place), systemClock)).toBe(
      'a command can write outside the folder',
    );
  });

  it.skipIf(process.platform !== 'linux').each([
    [
      'bubblewrap is missing',
      {},
      /^The shell is not offered: .*needs bubblewrap.*apt install bubblewrap.*dnf.*pacman/,
    ],
    [
      'the system lets nobody make a namespace',
      { bwrap: '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2; exit 1\n' },
      /^The shell is not offered: the sandbox does not start \(bwrap: No permissions .*namespaces/,
    ],
    [
      'it only looks like a sandbox',
      { bwrap: '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n' },
      /^The shell is not offered: /,
    ],
  ])('nothing is offered where %s, with the reason', async (_case, programs, reason) => {
    const { family } = await openWith(programs);
    expect([family.tools(), family.missing()]).toEqual([[], expect.stringMatching(reason)]);
    expect(family.missing()?.length).toBeLessThanOrEqual(500);
  });

  it('the person who switched it off is told', async () => {
    const family = shellFamily({ sandbox: false });
    await family.open(context(makeFolders()));
    expect([family.tools().length, family.missing(), family.warning?.()]).toEqual([
      1,
      null,
      'Commands run without a sandbox: they can do whatever you can do on this machine.',
    ]);
  });
});
