import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nanoid } from 'nanoid';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { makeFolders } from '../../../../test/support/tool-fixture.ts';
import { consumePending, writePending } from './pending.ts';
import { noPlaces } from './protected-places.ts';
import { clearPending } from './walls.ts';

/** A daemon of which only the shell is left: it runs one command. */
const daemon = (place: { root: string; privateFolder: string }, command: string) => {
  const at = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const text = `
    import { systemClock } from '@drawbridge/kit';
    import { createSandboxedLauncher } from ${at('../launch.ts')};
    import { runCommand } from ${at('../run-command.ts')};
    const ended = await runCommand({
      tag: '${nanoid()}', text: ${JSON.stringify(command)}, cwd: ${JSON.stringify(place.root)}, timeoutMs: 60_000, clock: systemClock,
      signal: new AbortController().signal, deniedPaths: { read: [], write: [] }, progress: () => undefined,
    }, createSandboxedLauncher(${JSON.stringify(place)}));
    console.log(JSON.stringify(ended));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', text], {
    cwd: join(import.meta.dirname, '../../../..'),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  /** What it printed, and how the command ended if it has. */
  return { child, output: () => output };
};

describeWith('bubblewrap', 'git')('FS-26 a daemon that is killed while a command runs', () => {
  it('leaves a note, and the next one clears up: stand-ins go, what would run things gets another name', async () => {
    const { root, own } = makeFolders();
    const place = { root, privateFolder: own };
    const { child, output } = daemon(
      place,
      'git init --quiet sub && git -C sub config core.fsmonitor evil && mkdir deep && echo {} > deep/.mcp.json && echo > ready && sleep 60',
    );
    await vi.waitFor(() => expect([existsSync(join(root, 'ready')), output()]).toEqual([true, '']), {
      timeout: 30_000,
      interval: 20,
    });
    await clearPending(place);
    // It is at work: nothing is taken from it.
    const notes = () => readdirSync(own).filter((name) => name !== 'etc');
    expect([existsSync(join(root, 'deep/.mcp.json')), notes().length]).toEqual([true, 1]);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(
      readdirSync(root)
        .filter((name) => name.startsWith('.'))
        .sort(),
    ).toEqual(['.claude', '.cursor', '.git', '.idea', '.vscode']);
    await clearPending(place);
    expect([readdirSync(root).sort(), readdirSync(join(root, 'deep')), notes()]).toEqual([
      ['deep', 'ready', 'sub'],
      ['.mcp.json.set-aside'],
      [],
    ]);
    expect(readFileSync(join(root, 'sub/.git/config'), 'utf8')).not.toContain('fsmonitor');
  }, 60_000);
});

it('a note of this process is kept, one that cannot be read is removed, and one of a process that ended is taken', () => {
  const { own } = makeFolders();
  const before = {
    ...noPlaces(),
    kept: new Map([['/r/.mcp.json', undefined]]),
    unseen: ['/r/x'],
    named: ['/r/my/hooks'],
  };
  const pending = { root: '/r', before, standIns: [{ path: '/r/.vscode' }], folders: ['/tmp/none'] };
  const { remove } = writePending(own, pending);
  const [name = ''] = readdirSync(own);
  const text = readFileSync(join(own, name), 'utf8');
  writeFileSync(join(own, 'shell-pending-broken.json'), '{');
  mkdirSync(join(own, 'other'));
  expect([consumePending(own), readdirSync(own).sort()]).toEqual([[], ['other', name]]);
  // The same number belongs to another run of the program.
  writeFileSync(join(own, name), JSON.stringify({ ...(JSON.parse(text) as object), instance: 'earlier' }));
  expect([consumePending(own), readdirSync(own)]).toEqual([[pending], ['other']]);
  remove();
});

/** A shared folder of several daemons, each of which runs one command. */
const openShared = () => {
  const { root, own } = makeFolders();
  const place = { root, privateFolder: own };
  const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 30_000, interval: 20 });
  /** The command runs until it is told to end, and then writes where it must not. */
  const begin = async (name: string) => {
    const waits = `until [ -e go-${name} ]; do sleep 0.02; done`;
    const attack = 'mkdir -p .vscode; echo x > .vscode/tasks.json; echo x > .claude';
    const { child, output } = daemon(place, `touch began-${name}; ${waits}; ${attack}; true`);
    await until(() => expect([existsSync(join(root, `began-${name}`)), output()]).toEqual([true, '']));
    const end = async () => {
      writeFileSync(join(root, `go-${name}`), '');
      await until(() => expect(output()).toMatch(/\}\n$/));
      const { exitCode, left } = JSON.parse(output()) as { exitCode: number; left: { notes: string[] } };
      const hidden = readdirSync(root).filter((one) => one.startsWith('.'));
      return { exitCode, notes: left.notes, hidden: hidden.toSorted() };
    };
    const kill = () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      return ended;
    };
    return { end, kill };
  };
  return { place, begin };
};

describeWith('bubblewrap')('two daemons of one folder', () => {
  it('SH-94 leave the stand-ins of each other, at a start, an end and after a kill, and the last removes them', async () => {
    const { place, begin } = openShared();
    const [first, second] = [await begin('1'), await begin('2')];
    const standIns = ['.claude', '.cursor', '.git', '.idea', '.vscode'];
    expect(await first.end()).toEqual({ exitCode: 0, notes: [], hidden: standIns });
    const killed = await begin('3');
    await killed.kill();
    await clearPending(place);
    const last = await begin('4');
    expect(await second.end()).toEqual({ exitCode: 0, notes: [], hidden: standIns });
    expect(await last.end()).toEqual({ exitCode: 0, notes: [], hidden: [] });
  }, 120_000);

  it('SH-94 of two that end at once the later one removes the stand-ins', async () => {
    const { place, begin } = openShared();
    for (const round of [1, 2, 3]) {
      const both = [await begin(`${round}a`), await begin(`${round}b`)];
      await Promise.all(both.map(({ end }) => end()));
      expect(readdirSync(place.root).filter((name) => name.startsWith('.'))).toEqual([]);
    }
  }, 120_000);
});
