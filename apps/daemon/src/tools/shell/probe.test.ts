import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DeniedPaths } from '../../permission/index.ts';
import { describeWith } from '../../../../../e2e/services.ts';
import { makeFolders, quickClock } from '../../../test/support/tool-fixture.ts';
import { createOpenLauncher, createSandboxedLauncher, type Launcher } from './launch.ts';
import { probe } from './probe.ts';
import { shellToolset } from './toolset.ts';

const context = (folders: { root: string; own: string }) => ({
  root: folders.root,
  privateFolder: folders.own,
  clock: systemClock,
  access: async () => 'allow' as const,
  changed: () => undefined,
});

const useTmpdir = (path: string) => {
  vi.stubEnv('TMPDIR', path);
  onTestFinished(() => void vi.unstubAllEnvs());
};

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
  const toolset = shellToolset({ sandbox: true });
  await toolset.open({ ...context(folders), clock: quickClock });
  return { ...folders, toolset };
};

const shellTools = [
  'shell_execute',
  'process_start',
  'process_read',
  'process_write',
  'process_stop',
  'process_list',
];

describeWith('bubblewrap')('SH-35 a sandbox that holds', () => {
  it('is offered, and leaves nothing behind', async () => {
    const folders = makeFolders();
    const toolset = shellToolset({ sandbox: true });
    await toolset.open(context(folders));
    expect([
      toolset.missing(),
      toolset.warning?.(),
      toolset.tools().map(({ descriptor }) => descriptor.name),
    ]).toEqual([null, null, shellTools]);
    // `etc`: what a command sees of the system's settings, made once.
    expect([folders.root, folders.own].map((folder) => readdirSync(folder))).toEqual([[], ['etc']]);
  });

  // With few folders looked at: in those of other tests nothing is made, and nothing is set aside.
  it('is offered also where the root is the whole disk', { timeout: 60_000 }, async () => {
    const { own } = makeFolders();
    const place = { root: '/', privateFolder: own };
    expect(await probe(place, createSandboxedLauncher(place, { limit: 30 }), systemClock)).toBeNull();
  });

  it.each<[string, keyof DeniedPaths | null, number?]>([
    ['a folder that is read-only because there are too many to inspect', null, 1],
    ['a folder that is denied to writing', 'write'],
    ['a folder that is denied to reading', 'read'],
  ])('gives a command its temporary folder also in %s', async (_case, denied, limit) => {
    const { root, own } = makeFolders();
    const temporary = join(root, 'temporary');
    mkdirSync(temporary);
    useTmpdir(temporary);
    const place = { root, privateFolder: own };
    const launcher = createSandboxedLauncher(place, { limit });
    const deniedPaths = { read: [], write: [], ...(denied === null ? {} : { [denied]: [temporary] }) };
    expect(await probe(place, (need) => launcher({ ...need, deniedPaths }), systemClock)).toBeNull();
  });

  /** A real sandbox with one wall taken out. */
  const without = (given: { root: string; own: string }, change: (words: string) => string): Launcher => {
    const launcher = createSandboxedLauncher({ root: given.root, privateFolder: given.own });
    return async (need) => {
      const launch = await launcher(need);
      return { ...launch, arguments: change(launch.arguments.join('\0')).split('\0') };
    };
  };

  it.each<[string, (text: string, at: { own: string }) => string]>([
    ['a command can connect to other programs', (text) => text.replace('\0--unshare-net', '')],
    [
      'a command can write outside the folder',
      (text) => text.replace('--remount-ro\0/', '--bind\0/tmp\0/tmp'),
    ],
    [
      "a command can read drawbridge's own folder",
      (text, { own }) => text.replace('--dev\0', `--ro-bind\0${own}\0${own}\0--dev\0`),
    ],
    ['a command can share memory with other programs', (text) => text.replace('\0--unshare-ipc', '')],
  ])('is not trusted where %s', async (reason, change) => {
    const folders = makeFolders();
    const launcher = without(folders, (text) => change(text, folders));
    expect(await probe({ root: folders.root, privateFolder: folders.own }, launcher, systemClock)).toBe(
      reason,
    );
  });

  // Each call made one that does not exist: its rule in the filter refuses nothing.
  it.each<[string, number[], string]>([
    [
      'kernel keys',
      [217, 218, 219, 248, 249, 250],
      'a command can read kernel keys or reach the host of this machine',
    ],
    ['clone', [56, 220], 'a command can make namespaces or mount file systems of its own'],
    ['clone3', [435], 'a command can make namespaces or mount file systems of its own'],
    ['unshare', [272, 97], 'a command can make namespaces or mount file systems of its own'],
    ['mount', [165, 40], 'a command can make namespaces or mount file systems of its own'],
  ])('NG-40 is not trusted where its filter lets %s through', async (_case, calls, expected) => {
    const { root, own } = makeFolders();
    const launcher = createSandboxedLauncher({ root, privateFolder: own });
    const weaken = (filter: Buffer) => {
      const weak = Buffer.from(filter);
      for (let at = 0; at < weak.length; at += 8)
        if (weak.readUInt16LE(at) === 0x15 && calls.includes(weak.readUInt32LE(at + 4)))
          weak.writeUInt32LE(99_999, at + 4);
      return weak;
    };
    const weakened: Launcher = async (need) => {
      const launch = await launcher(need);
      return { ...launch, inputs: launch.inputs.map(weaken) };
    };
    const reason = await probe({ root, privateFolder: own }, weakened, systemClock);
    const isTried = process.arch === 'x64' || calls.includes(97);
    expect(reason).toBe(isTried ? expected : null);
  });
});

describe('SH-35 without a sandbox', () => {
  it('nothing is offered where TMPDIR cannot be written', async () => {
    const folders = makeFolders();
    useTmpdir('/proc/self');
    const toolset = shellToolset({ sandbox: true });
    await toolset.open(context(folders));
    expect([toolset.tools(), toolset.missing()]).toEqual([
      [],
      expect.stringMatching(/^The shell is not offered: no file can be made in \/proc\/self/),
    ]);
  });

  it('nothing is trusted', async () => {
    const { root, own } = makeFolders();
    const place = { root, privateFolder: own };
    expect(await probe(place, createOpenLauncher(place), quickClock)).toBe(
      'a command can write outside the folder',
    );
  });

  it('nothing is offered where the trial does not end', async () => {
    const { root, own } = makeFolders();
    const place = { root, privateFolder: own };
    const launcher: Launcher = async (need) => ({
      ...(await createOpenLauncher(place)(need)),
      arguments: ['-c', 'exec sleep 60'],
    });
    const fast: Clock = { ...systemClock, after: (ms, run) => systemClock.after(ms / 100, run) };
    expect(await probe(place, launcher, fast)).toBe(
      'the sandbox does not start (no answer within 20 seconds)',
    );
  });

  it.skipIf(process.platform !== 'linux').each([
    [
      'bubblewrap is missing',
      {},
      /^The shell is not offered: .*needs bubblewrap.*apt install bubblewrap.*dnf.*pacman/,
    ],
    [
      'the system permits no namespaces',
      { bwrap: '#!/bin/sh\necho "bwrap: No permissions to create a new namespace" >&2; exit 1\n' },
      /^The shell is not offered: the sandbox does not start \(bwrap: No permissions .*namespaces/,
    ],
    [
      'it only looks like a sandbox',
      { bwrap: '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n' },
      /^The shell is not offered: /,
    ],
  ])('nothing is offered where %s, with the reason', async (_case, programs, reason) => {
    const { toolset } = await openWith(programs);
    expect([toolset.tools(), toolset.missing()]).toEqual([[], expect.stringMatching(reason)]);
    expect(toolset.missing()?.length).toBeLessThanOrEqual(500);
  });

  it('the person who switched it off is told', async () => {
    const toolset = shellToolset({ sandbox: false });
    await toolset.open(context(makeFolders()));
    expect([toolset.tools().length, toolset.missing(), toolset.warning?.()]).toEqual([
      shellTools.length,
      null,
      'Commands run without a sandbox: they can do whatever you can do on this machine.',
    ]);
  });
});
