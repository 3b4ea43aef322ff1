import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import {
  callAs,
  commandsWith,
  makeDataDir,
  openTestWorkspaces,
  ownSeconds,
  testUsers,
} from '../../../test/workspace.ts';

const mebibyte = 1024 * 1024;

describeWith('bubblewrap')('the limits of workspaces', () => {
  it('WK-05 stop a command that fills its folder, and refuse more until there is room', async () => {
    const { call } = await openTestWorkspaces({ folderBytes: 4 * mebibyte, measureEveryMs: 50 });
    const fill = 'while :; do head -c 1048576 /dev/zero >> big; sleep 0.05; done';
    expect(await call('shell_execute', { command: fill })).toMatch(/^The call was stopped\. .* 4 MiB/);
    expect(await call('write_file', { filePath: 'a', content: 'x' })).toMatch(
      /^The workspace holds more than/,
    );
    expect(await call('list_files', {})).toContain('"big"');
    await call('delete', { path: 'big' });
    expect(await call('write_file', { filePath: 'a', content: 'x' })).toBe('{"path":"a"}');
  });

  it('WK-05 count files and folders', async () => {
    const { call } = await openTestWorkspaces({ folderEntries: 20 });
    const command = 'for i in 1 2 3 4 5 6 7 8 9 10 11; do mkdir d$i; touch d$i/f; done';
    // On a slow machine the limit stops it before its end.
    await call('shell_execute', { command });
    expect(await call('write_file', { filePath: 'a', content: 'x' })).toContain('20 files');
  });

  it('WK-05 leave the disk of the server some space', async () => {
    const { call } = await openTestWorkspaces({ freeDiskBytes: Number.MAX_SAFE_INTEGER });
    const written = await call('write_file', { filePath: 'a', content: 'x' });
    expect(written).toBe('The disk of the server is nearly full.');
  });

  it('WK-05 hold for a file, for the memory, and for the number of workspaces of a user', async () => {
    const limits = { fileBytes: mebibyte, temporaryBytes: mebibyte, foldersOfUser: 1 };
    const { call, shell } = await openTestWorkspaces({ ...limits, memoryBytes: 1024 * mebibyte });
    const ran = await shell(
      'for at in big /tmp/big ~/big /dev/shm/big; do for i in 1 2; do head -c 2097152 /dev/zero > $at$i; done; done; ' +
        'touch /dev/big; stat -c %s big1; du -sk /tmp ~ /dev/shm | cut -f 1; ulimit -d; ulimit -n; ulimit -p; cat /proc/self/oom_score_adj',
    );
    expect(ran.stdout).toBe('1048576\n1024\n1024\n1024\n1048576\n1024\n256\n1000\n');
    expect(ran.stderr).toContain('/dev/big');
    const second = await call('write_file', { filePath: 'a', content: 'x' }, { threadId: 'other' });
    expect(second).toBe('There are 1 workspaces already. Delete a chat that has one.');
    const other = await call('write_file', { filePath: 'a', content: 'x' }, { userId: 'ben' });
    expect(other).toBe('{"path":"a"}');
  });

  it('WK-05 end a call after its time, and one with too large a result', async () => {
    const seconds = ownSeconds();
    const callMs = 77_000;
    let passTime = () => {};
    const after: Clock['after'] = (ms, run) => {
      if (ms === callMs) passTime = run;
      return systemClock.after(ms, run);
    };
    const late = await openTestWorkspaces({ callMs }, { clock: { ...systemClock, after } });
    const slow = late.call('shell_execute', { command: `sleep ${seconds}`, timeout: 60_000 });
    await expect.poll(() => commandsWith(seconds)).not.toEqual([]);
    passTime();
    expect(await slow).toBe('The call took longer than ten minutes.');
    await expect.poll(() => commandsWith(seconds)).toEqual([]);

    const small = await openTestWorkspaces({ resultBytes: 2_000 });
    expect(await small.call('shell_execute', { command: 'head -c 4000 /dev/zero' })).toBe(
      'The result is too large.',
    );
  });

  it('let one call of a thread run at a time', async () => {
    const { shell } = await openTestWorkspaces();
    const command = 'test -e lock && echo both; touch lock; sleep 0.3; rm lock';
    const both = await Promise.all([shell(command), shell(command)]);
    expect(both.map(({ stdout }) => stdout)).toEqual(['', '']);
  });

  it('let few calls run at once: some of a user, some of all', async () => {
    const { dataDir, shell } = await openTestWorkspaces({ callsAtOnce: 2, callsOfUserAtOnce: 1 });
    const seen: number[] = [];
    const stop = systemClock.every(20, () => {
      // Each container is two processes of bubblewrap until its program runs.
      seen.push(new Set(commandsWith(join(dataDir, 'workspaces'))).size);
    });
    const who = ['ann', 'ben', 'cid'].flatMap((userId) =>
      ['one', 'two'].map((threadId) => ({ userId, threadId })),
    );
    await Promise.all(who.map((one) => shell('sleep 0.2', one)));
    stop();
    expect(Math.max(...seen)).toBe(2);
  });

  const deep =
    'n=$(head -c 200 /dev/zero | tr "\\0" d); i=0; while [ $i -lt 40 ]; do mkdir $n; cd -P $n; echo x > f; i=$((i+1)); done';
  const trees: [string, string][] = [
    ['NA-13d without rights', 'mkdir -p x/y; echo x > x/y/f; chmod 000 x/y; chmod 000 x'],
    ['NA-13d to be read only', 'mkdir -p x/y; echo x > x/y/f; chmod 500 x/y x'],
    ['NA-13d to be entered only', 'mkdir -p x/y; echo x > x/y/f; chmod 100 x'],
    ['NA-13d with names alone', 'mkdir -p x/y; echo x > x/y/f; chmod 600 x'],
    ['NA-13e deeper than the longest path', `mkdir x; cd x; ${deep}`],
    ['NA-13e deeper than the files that may be open', 'mkdir -p "x/$(printf "d/%.0s" $(seq 1100))"'],
  ];

  const foldersIn = (dataDir: string) => {
    const [user = ''] = readdirSync(join(dataDir, 'workspaces'));
    const own = join(dataDir, 'workspaces', user);
    return readdirSync(own).map((name) => join(own, name));
  };
  const write = { tool: 'write_file', arguments: { filePath: 'a', content: 'x' } };
  const command = (text: string) => ({
    tool: 'shell_execute',
    arguments: { command: text, timeout: 60_000 },
  });

  // Root has every right: for it `chat.test.ts` and `remove-tree.test.ts` say the same.
  it.each(testUsers.slice(-1))(
    'NA-13d NA-13e any tree is measured, deleted by the tool, and removed with the chat, as the user %i',
    { timeout: 60_000 },
    async (uid) => {
      const dataDir = makeDataDir();
      const all = command(trees.map(([, text], at) => `(mkdir c${at}; cd c${at}; ${text})`).join('\n'));
      const deletes = trees.map((_, at) => ({ tool: 'delete', arguments: { path: `c${at}` } }));
      const calls = [
        ...['one', 'two'].flatMap((threadId) => [all, write].map((call) => ({ ...call, threadId }))),
        ...[...deletes, command('ls')].map((call) => ({ ...call, threadId: 'one' })),
      ];
      const texts = await callAs({
        uid,
        dataDir,
        limits: { folderEntries: 5_000 },
        calls,
        removed: ['one', 'two'],
      });
      expect([texts[1], texts[3]]).toEqual(['{"path":"a"}', '{"path":"a"}']);
      expect(texts.slice(4, -1).map((text, at) => [trees[at]?.[0], text])).toEqual(
        trees.map(([what], at) => [what, `{"path":"c${at}"}`]),
      );
      expect(JSON.parse(texts.at(-1) ?? '')).toMatchObject({ stdout: 'a\n' });
      expect(foldersIn(dataDir)).toEqual([]);
    },
  );

  it('NA-13e a folder that is too deep to be copied makes no snapshot, and says so', async () => {
    const { call, shell } = await openTestWorkspaces();
    await shell(`mkdir x; cd x; ${deep}`);
    expect(await call('snapshot', { name: 'deep' })).toBe('A path is too long to be copied.');
    expect(await call('list_snapshots', {})).toBe('There are no snapshots.');
    await call('delete', { path: 'x' });
    expect(await call('snapshot', { name: 'deep' })).toBe('Kept as deep.');
  });

  /** One program, so that it is not stopped for its files before it has closed the folder. */
  const fill = (path: string, mode: string, ...around: string[]) => {
    const closes = [path, ...around].map((one) => `"${one}"`).join(', ');
    return `perl -e 'for (1..30) { open my $file, ">", "${path}/$_" } chmod ${mode}, ${closes}'`;
  };
  const closed: [string, string][] = [
    ['itself', `mkdir x; ${fill('x', '0000')}`],
    ['below a closed one', `mkdir -p x/y; ${fill('x/y', '0000', 'x')}`],
    ['to be entered only', `mkdir x; ${fill('x', '0100')}`],
    ['with names alone', `mkdir x; ${fill('x', '0400')}`],
    ['to be written only', `mkdir x; ${fill('x', '0300')}`],
  ];
  it.each(testUsers)(
    'NA-13d counts what is in a closed folder, which gets its mode back, as the user %i',
    { timeout: 60_000 },
    async (uid) => {
      const dataDir = makeDataDir();
      const threads = closed.flatMap(([threadId, text]) => [
        { ...command(text), threadId },
        { ...write, threadId },
      ]);
      const texts = await callAs({ uid, dataDir, limits: { folderEntries: 20 }, calls: threads });
      const refusals = texts.filter((_, at) => at % 2 === 1).map((text) => /or 20 files/.test(text));
      expect(refusals).toEqual(closed.map(() => true));
      const modes = foldersIn(dataDir).map((one) => (statSync(join(one, 'x')).mode & 0o777).toString(8));
      expect(modes.sort()).toEqual(['0', '0', '100', '300', '400']);
    },
  );
});
