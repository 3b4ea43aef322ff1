import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../../e2e/services.ts';
import { isRunningCommand, uniqueSleep } from '../../../../test/support/own-sleep.ts';
import {
  ada,
  ben,
  openProcesses,
  sharedProcesses,
  thePerson,
} from '../../../../test/support/process-fixture.ts';
import { processLimits } from './limits.ts';

const node = JSON.stringify(process.execPath);

describeWith('bubblewrap')('processes in the background', () => {
  const world = sharedProcesses();

  it('SU-42 a REPL without a terminal keeps its state between lines', async () => {
    const { start, write, stop } = await world();
    const { process: id, waits } = await start(`${node} -i`, { input: true, waitFor: ['> '] });
    expect(waits).toBe(undefined);
    await write(id, 'const a = 20;\n');
    expect((await write(id, 'a + 22\n')).output).toContain('42');
    expect(await stop(id)).toMatchObject({ state: 'ended', ended: 'stopped' });
  });

  it('SU-43 a shell keeps its folder and variables between lines', async () => {
    const { start, write, read } = await world();
    const { process: id } = await start('sh', { input: true });
    await write(id, 'mkdir sub; cd sub; X=7\n', { waitMs: 0 });
    expect((await write(id, 'pwd; echo "x=$X"\n')).output).toMatch(/\/sub\nx=7\n$/);
    await write(id, 'exit 3\n', { waitMs: 0 });
    expect(await read(id, { waitMs: 10_000, waitFor: ['never'] })).toMatchObject({
      state: 'ended',
      ended: 'exited',
      exitCode: 3,
    });
  });

  it('SU-45, SU-49 waits for a text, also with colours in it, and reads on from a cursor', async () => {
    const { start, read, root } = await world();
    const watch = `printf 'starting\\n'; printf '\\033[1mLocal\\033[22m: ready\\n'; until [ -e edit ]; do sleep 0.02; done; echo 'error: x'; sleep 1000`;
    const first = await start(watch, { waitFor: ['Local:'] });
    expect(first).toMatchObject({ state: 'running', found: 'Local:', output: 'starting\nLocal: ready\n' });
    const waiting = read(first.process, { cursor: first.cursor, waitFor: ['error', 'done'], waitMs: 10_000 });
    writeFileSync(join(root, 'edit'), '');
    expect(await waiting).toMatchObject({ found: 'error', from: first.cursor, output: 'error: x\n' });
  });

  it('SU-47 after 5 MiB of output the number of lost characters is right', async () => {
    const { start, read } = await world();
    const { process: id } = await start(
      `${node} -e "const line = 'é'.repeat(1023) + '\\n'; for (let at = 0; at < 5120; at++) process.stdout.write(line)"`,
      { waitFor: ['never'], waitMs: 20_000 },
    );
    const { output, from, lost, cursor, more } = await read(id, { cursor: 100, maxChars: 1_000 });
    const total = 5 * 1024 * 1024;
    expect(from).toBe(total - processLimits.endedOutputChars);
    expect([lost, cursor, output.length]).toEqual([from - 100, from + 1_000, 1_000]);
    expect(more).toBe(processLimits.endedOutputChars - 1_000);
  });

  it('SU-48 an interrupt ends a server that handles it, and a later stop changes nothing', async () => {
    const { start, stop } = await world();
    const { process: id } = await start(
      `exec ${node} -e "process.on('SIGINT', () => { console.log('bye'); process.exit(0) }); console.log('up'); setInterval(() => 0, 1000)"`,
      { waitFor: ['up'] },
    );
    const ended = await stop(id, { signal: 'INT' });
    expect(ended).toMatchObject({ output: expect.stringContaining('bye') });
    expect(await stop(id)).toMatchObject({ state: 'ended', ended: 'exited', exitCode: 0 });
  });

  it('a signal that ended it has its name', async () => {
    const { start } = await world();
    expect(await start('kill -9 $$', { waitFor: ['never'] })).toMatchObject({
      exitCode: 137,
      signal: 'SIGKILL',
    });
  });

  it('SU-53 an id of an earlier daemon has ended with it, and nothing is typed elsewhere', async () => {
    const { start, as, callAs } = await world();
    const { process: id } = await start('cat', { input: true });
    expect(id).toMatch(/^p\d+-[0-9a-z]{6}$/);
    const earlier = `${id.slice(0, -6)}000000`;
    expect(JSON.parse(await callAs(ada, 'process_read', { process: earlier }))).toMatchObject({
      state: 'ended',
      ended: 'daemon',
    });
    expect(await callAs(ada, 'process_write', { process: earlier, text: 'x' })).toContain('no process');
    expect((await as(ada)('read', { process: id })).output).toBe('');
  });

  it('says that it waits for input, and that it asks for a password, which is not typed', async () => {
    const { start, read, callAs } = await world();
    const { process: input } = await start('cat', { input: true });
    await expect.poll(async () => (await read(input)).waits).toBe('input');
    const { process: asks } = await start(`printf 'Password: '; read -r x; echo got`, { input: true });
    await expect.poll(async () => (await read(asks)).waits).toBe('password');
    expect(await callAs(ada, 'process_write', { process: asks, text: 'x\n' })).toContain(
      'asks for a password',
    );
    expect((await read(asks)).output).toBe('Password: ');
  });

  it('stdin is written, and ends unless more may be typed', async () => {
    const { start } = await world();
    expect(await start('cat', { stdin: 'hello', waitFor: ['never'] })).toMatchObject({
      state: 'ended',
      output: 'hello',
      exitCode: 0,
    });
  });

  it('SH-84 is not seen, typed into or ended by another caller, but by the person', async () => {
    const { start, callAs, as } = await world();
    const { process: id } = await start('cat', { input: true });
    for (const other of [ben, undefined]) {
      expect(await callAs(other, 'process_read', { process: id })).toContain('no process with this id');
      expect(await callAs(other, 'process_write', { process: id, text: 'x' })).toContain('no process');
      expect(await callAs(other, 'process_stop', { process: id })).toContain('no process');
      expect(await callAs(other, 'process_list', {})).not.toContain(id);
    }
    expect(await as(thePerson)('read', { process: id })).toMatchObject({ state: 'running', output: '' });
    expect(await callAs(ada, 'process_list', {})).toContain(id);
  });

  it('SH-90 everything that it started ends with it', async () => {
    const { start, stop, root } = await world();
    const sleeps = [uniqueSleep(), uniqueSleep(), uniqueSleep()];
    const [left = '', stopped = '', deaf = ''] = sleeps;
    const tree = `setsid sh -c '(setsid sleep ${left} &) &'; sh -c 'kill -STOP $$; sleep ${stopped}' & sleep ${stopped} & (trap '' TERM INT; exec sleep ${deaf}) & trap '' TERM INT; echo up; wait`;
    writeFileSync(join(root, 'tree.sh'), tree);
    // Without its environment, nothing of it is found by its tag.
    const { process: id } = await start('exec env -i PATH="$PATH" sh tree.sh', { waitFor: ['up'] });
    await expect.poll(() => sleeps.every(isRunningCommand)).toBe(true);
    await stop(id);
    expect(sleeps.map(isRunningCommand)).toEqual([false, false, false]);
  });

  it('SH-91 endless lines, broken UTF-8 and sequences for terminals are bounded and plain', async () => {
    const { start, read, stop } = await world();
    const { process: id } = await start(
      `printf 'a\\033]52;c;aGk=\\007b\\033]0;title\\007\\233c\\377d 10%%\\r100%%\\n'; sleep 1000`,
      { waitFor: ['100%'] },
    );
    expect((await read(id, { cursor: 0 })).output).toBe('100%\n');
    expect((await read(id, { cursor: 0, raw: true })).output).toContain('\u001b]52;');
    const flood = await start(`yes | tr -d '\\n'`, { waitMs: 500, waitFor: ['never'] });
    const { output, from, cursor } = await read(flood.process, { maxChars: 1_000 });
    expect([output.length, cursor - from]).toEqual([1_000, 1_000]);
    await stop(flood.process);
  });

  it('no more than four of one caller and eight run at once', async () => {
    const { callAs } = await world();
    const begin = async (caller: typeof ada) =>
      callAs(caller, 'process_start', { command: 'sleep 1000', waitMs: 0 });
    for (let at = 0; at < 4; at += 1) expect(await begin(ada)).toContain('running');
    expect(await begin(ada)).toContain('Too many processes');
    for (let at = 0; at < 4; at += 1) expect(await begin(ben)).toContain('running');
    expect(await begin(thePerson)).toContain('Too many processes');
  });

  it('input that it does not read is refused beyond 256 KiB', async () => {
    const { start, callAs } = await world();
    const { process: id } = await start('sleep 1000', { input: true });
    const text = 'x'.repeat(64 * 1024);
    const write = () => callAs(ada, 'process_write', { process: id, text, waitMs: 0 });
    for (let at = 0; at < 4; at += 1) expect(await write()).toContain('running');
    await expect.poll(write).toContain('256 KiB wait already');
  });

  it('a cancelled start leaves nothing that runs', async () => {
    const { callAs } = await world();
    const time = uniqueSleep();
    const cancel = new AbortController();
    const starting = callAs(
      ada,
      'process_start',
      { command: `sleep ${time}`, waitMs: 60_000 },
      cancel.signal,
    );
    await expect.poll(() => isRunningCommand(time)).toBe(true);
    cancel.abort();
    expect(await starting).toBe('The call was cancelled');
    expect(isRunningCommand(time)).toBe(false);
  });
});

describeWith('bubblewrap')('questions about processes', () => {
  const world = sharedProcesses({ modes: { shell: 'ask' } });

  it('an answer for the command in the foreground, or with other input, does not count', async () => {
    const { callAs, questions, state, session } = await world();
    onTestFinished(() => session.end());
    state.answer = { decision: 'allowForSession', reach: 'exact' };
    await callAs(ada, 'shell_execute', { command: 'ls' });
    state.answer = { decision: 'denyOnce' };
    const asked = async (args: Record<string, unknown>) => {
      questions.length = 0;
      await callAs(ada, 'process_start', { command: 'ls', ...args });
      return questions.map(({ title }) => title);
    };
    const title = 'Run ls in the background?';
    expect(await asked({})).toEqual([title]);
    state.answer = { decision: 'allowForSession', reach: 'exact' };
    await callAs(ada, 'process_start', { command: 'ls' });
    state.answer = { decision: 'denyOnce' };
    expect(await asked({})).toEqual([]);
    expect(await asked({ input: true })).toEqual([title]);
    expect(await asked({ stdin: 'x' })).toEqual([title]);
  });

  it('says what typing means, and shows what is written at the start', async () => {
    const { callAs, questions } = await world();
    await callAs(ada, 'process_start', { command: 'cat', input: true, stdin: 'one\ntwo' });
    expect(questions).toEqual([
      expect.objectContaining({
        description: expect.stringContaining('What the agent types into it runs without a further question'),
        options: ['allowOnce', 'allowForSession', 'denyOnce', 'alwaysDeny'],
        preview: expect.objectContaining({ path: 'standard input', text: 'one\ntwo' }),
      }),
    ]);
  });

  it('SH-84 each text is asked about, once, unless the start said otherwise', async () => {
    const { start, write, callAs, questions, state } = await world();
    const { process: each } = await start('cat');
    await write(each, 'rm -rf x\n');
    await write(each, 'rm -rf x\n');
    expect(questions.slice(1)).toEqual(
      Array.from({ length: 2 }, () =>
        expect.objectContaining({
          title: `Type “rm -rf x\\n” into ${each}?`,
          options: ['allowOnce', 'denyOnce', 'alwaysDeny'],
        }),
      ),
    );
    state.answer = { decision: 'denyOnce' };
    expect(await callAs(ada, 'process_write', { process: each, text: 'no\n' })).toContain('denied');
    expect(await callAs(ada, 'process_write', { process: each, endInput: true })).toContain('cat');
    state.answer = { decision: 'allowOnce' };
    const { process: free } = await start('cat', { input: true });
    questions.length = 0;
    expect((await write(free, 'yes\n')).output).toBe('yes\n');
    expect(questions).toEqual([]);
  });

  it('SH-84 a deny rule for a command meets what is typed, asked about or not', async () => {
    const { start, callAs, settings, root } = await world();
    onTestFinished(() => settings.clearRules());
    const { process: each } = await start('sh');
    const { process: free } = await start('sh', { input: true });
    await settings.addRules('deny', [{ toolGroup: 'shell', resource: 'touch' }]);
    const type = (id: string) => callAs(ada, 'process_write', { process: id, text: 'touch made\n' });
    expect(await type(each)).toContain('a rule forbids');
    expect(await type(free)).toContain('Access denied');
    expect(existsSync(join(root, 'made'))).toBe(false);
  });
});

describeWith('bubblewrap')('the end of processes', () => {
  /** Time that a test moves on; timers run by the system's. */
  const movedClock = () => {
    let ahead = 0;
    const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };
    return { clock, move: (ms: number) => void (ahead += ms) };
  };
  const ended = (cause: string) => expect.objectContaining({ state: 'ended', ended: cause });

  it('SU-51 after 2 h without anything, not after 20 minutes; after 24 h in any case', async () => {
    const { clock, move } = movedClock();
    const { start, callAs } = await openProcesses({ clock });
    const stateOf = async (id: string) => {
      const listed = JSON.parse(await callAs(ada, 'process_list', {})) as {
        processes: { process: string }[];
      };
      return listed.processes.find(({ process: one }) => one === id);
    };
    const { process: idle } = await start('sleep 1000');
    const { process: busy } = await start('while :; do echo x; sleep 0.05; done');
    move(20 * 60_000);
    expect(await stateOf(idle)).toMatchObject({ state: 'running' });
    move(processLimits.idleMs);
    await expect.poll(() => stateOf(idle)).toEqual(ended('idle'));
    expect(await stateOf(busy)).toMatchObject({ state: 'running' });
    move(processLimits.lifeMs);
    await expect.poll(() => stateOf(busy)).toEqual(ended('life'));
  });

  it('SH-87 with a deny rule that meets the command, or closes a path; and with commands on deny', async () => {
    const { start, read, settings, session } = await openProcesses();
    const [one, two, three] = [
      await start('sleep 1000'),
      await start('sleep 1001'),
      await start('sleep 1002'),
    ];
    await settings.addRules('deny', [{ toolGroup: 'shell', resource: 'sleep 1000' }]);
    await expect.poll(() => read(one.process)).toEqual(ended('denied'));
    expect(await read(two.process)).toMatchObject({ state: 'running' });
    await settings.addRules('deny', [{ toolGroup: 'filesystemRead', resource: '/secret' }]);
    await expect.poll(() => read(two.process)).toEqual(ended('denied'));
    await expect.poll(() => read(three.process)).toEqual(ended('denied'));
    expect(session.rules()).toEqual([]);
  });

  it.each([
    ['in the sandbox', true],
    ['without a sandbox', false],
  ])('ends with the tools of the daemon, %s', async (_name, shellSandbox) => {
    const { start, toolbox, callAs } = await openProcesses({ toolsets: { shellSandbox } });
    const time = uniqueSleep();
    await start(`sleep ${time}`);
    await expect.poll(() => isRunningCommand(time)).toBe(true);
    await toolbox.close();
    expect(isRunningCommand(time)).toBe(false);
    expect(await callAs(ada, 'process_start', { command: 'true' })).toContain('does not offer this tool');
  });
});
