import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import { expect, it, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import type { RunContext } from '../common/tool.ts';
import { readQuietly } from '../../program/quiet-files.ts';
import { shareRuntime, turnOf } from '../../../test/support/runtime-fixture.ts';
import { textOf } from '../../../test/support/tool-fixture.ts';

const standIn = 'acp:stand-in';

const commandLine = (pid: string): string =>
  (readQuietly(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
const pids = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));
/** Of all processes that run. */
const commandLines = (): string[] => pids().map(commandLine);

/** The processes between the one with that command line and this one, the nearest first. */
const ancestors = (line: string): string[] => {
  const above = (pid: string | undefined): string[] => {
    const parent = /^PPid:\t(\d+)$/m.exec(readQuietly(`/proc/${pid}/status`) ?? '')?.[1];
    const isOurs = parent === undefined || parent === '0' || parent === String(process.pid);
    return isOurs ? [] : [parent, ...above(parent)];
  };
  return above(pids().find((pid) => commandLine(pid) === line));
};

describeWith('bubblewrap')('a coding agent of the machine', () => {
  const open = shareRuntime();
  const words = async (...lines: string[]) => textOf(await open().turn(lines));

  it('RT-01 is asked about by its program, folder and network before it starts', async () => {
    const { call, root, program } = open();
    const question = questionOf(await call('runtime_turn', { runtime: standIn, prompt: 'SAY hi' }));
    expect(question).toMatchObject({
      title: 'Let Stand-in work in the shared folder?',
      toolGroup: 'runtime',
      resource: `${standIn} in ${root}`,
      preview: { kind: 'text', text: 'SAY hi\n' },
    });
    expect(question?.description).toContain(`${program}) there, in the sandbox, with no network`);
  });

  it('RT-01 what was not allowed as it is now does not start', async () => {
    const { toolbox, root, own } = open();
    const tool = await toolbox.find('runtime_turn')?.load();
    const context = { root, privateFolder: own, granted: [] } as unknown as RunContext;
    await expect(tool?.run({ runtime: standIn, prompt: 'SAY hi' }, context)).rejects.toThrow(
      'not what was allowed',
    );
  });

  it('gives what it wrote and did, live and at the end', async () => {
    const { turn, state } = open();
    const { events, session, ...rest } = turnOf(
      await turn(['SAY one ', 'SAY two', 'RUN echo out', 'SAY end']),
    );
    expect(rest).toMatchObject({ runtime: standIn, stopReason: 'end_turn', tokens: 1234 });
    expect(events).toEqual([
      { type: 'session', session },
      { type: 'text', text: 'one two' },
      { type: 'action', n: 1, kind: 'execute', title: 'echo out' },
      { type: 'asked', n: 1, requestId: expect.any(String) },
      { type: 'action-end', n: 1, status: 'completed', text: 'out' },
      { type: 'text', text: 'end' },
    ]);
    expect(state.output).toBe('one two\n> echo out\nend');
  });

  it('RT-01 another program in its place is asked about again, also after a lasting yes', async () => {
    const { turn, call, program } = open();
    await turn(['SAY hi'], { answer: 'alwaysAllow' });
    const again = () => call('runtime_turn', { runtime: standIn, prompt: 'SAY hi' });
    expect(questionOf(await again())).toBeUndefined();
    rmSync(program);
    symlinkSync('/bin/sh', program);
    expect(questionOf(await again())).toBeDefined();
    rmSync(program);
    symlinkSync(process.execPath, program);
  });

  it('RT-08 it works inside the walls: no network, no files beside its own, and its settings apart from the person’s', async () => {
    vi.stubEnv('DRAWBRIDGE_TEST_SECRET', 'of the daemon');
    const { kept, outside, own, turn } = open();
    const commands = [
      `cat ${own}/settings.json || echo no settings`,
      `ls ${outside}`,
      `(echo x > ${outside}/settings) 2>/dev/null || echo read-only`,
      'echo "[$DRAWBRIDGE_TEST_SECRET]"',
      `echo mine > ${kept}/state && cat ${kept}/state`,
      'cat /proc/net/dev | grep -c eth0 || echo no network',
    ];
    const { events } = turnOf(await turn(commands.map((command) => `RUN ${command}`)));
    const texts = events.flatMap((event) => (event.type === 'action-end' ? [event.text] : []));
    expect(texts).toEqual(['no settings', 'login\nsettings', 'read-only', '[]', 'mine', '0\nno network']);
    expect(readdirSync(kept)).toEqual([]);
  });

  it('RT-08 what a command writes among its settings is gone at its next turn', async () => {
    const { kept, settings, turn } = open();
    const write = `echo allows-all > ${settings}/own.json && echo kept > ${kept}/record`;
    await turn([`RUN ${write}`]);
    const { events } = turnOf(await turn([`RUN cat ${kept}/record; ls -p ${settings} | grep -v / || true`]));
    expect(events.flatMap((event) => (event.type === 'action-end' ? [event.text] : []))).toEqual(['kept']);
    expect(readdirSync(settings)).toEqual(['kept']);
  });

  it('RT-06 stopped, it ends with all that it started and all that it asked', async () => {
    const { turn, state, gate } = open();
    const stopping = new AbortController();
    state.answer = () => 'none';
    const turning = turn(['SLEEPER 54321', 'RUN echo asked'], { signal: stopping.signal });
    await expect.poll(() => state.questions.length).toBe(1);
    expect(commandLines()).toContain('sleep 54321');
    stopping.abort(new Error('stopped'));
    expect(textOf(await turning)).toBe('The call was cancelled');
    expect(commandLines()).not.toContain('sleep 54321');
    gate.endSession();
  });

  it('RT-08 no process is left when its sandbox is killed from outside', async () => {
    const { turn, state } = open();
    const turning = turn(['SLEEPER 54322', 'WAIT']);
    await expect.poll(() => state.output).toBe('left');
    const bubblewrap = ancestors('sleep 54322').filter((pid) => commandLine(pid).includes('bwrap '));
    process.kill(Number(bubblewrap.at(-1)), 'SIGKILL');
    expect(textOf(await turning)).toMatch(/^RUNTIME_FAILED: The coding agent ended: /);
    await expect.poll(commandLines).not.toContain('sleep 54322');
  });

  it('two turns run at once, also in one folder, and the third one waits', async () => {
    const { turn, state, call } = open();
    const stops = [standIn, 'acp:claude'].map((runtime) => {
      const stopping = new AbortController();
      const turning = turn(['SAY x', 'WAIT'], { runtime, signal: stopping.signal });
      return { stop: () => stopping.abort(new Error('stopped')), turning };
    });
    await expect.poll(() => state.output).toBe('xx');
    const third = call('runtime_turn', { runtime: 'acp:codex', prompt: 'SAY hi' });
    await expect.poll(() => state.messages).toContain('Waiting for other calls on the machine');
    stops[0]?.stop();
    expect(questionOf(await third)?.title).toBe('Let Stand-in work in the shared folder?');
    stops[1]?.stop();
    await Promise.all(stops.map(({ turning }) => turning));
  });

  it('RT-06 what it has asked ends with its turn', async () => {
    const { turn, state, call } = open();
    state.answer = () => 'none';
    await turn(['LEAVE echo late']);
    const [{ action } = {}] = state.opened;
    expect(textOf(await call('runtime_action', { action }))).toContain('has ended');
  });

  it('a session goes on for its own caller alone', async () => {
    const { turn } = open();
    const { session } = turnOf(await turn(['SAY one']));
    expect(turnOf(await turn(['SAY two'], { session })).session).toBe(session);
    const other = await turn(['SAY three'], { session, caller: 'token:two' });
    expect(textOf(other)).toContain('This session is not known here');
  });

  it('a session of one that cannot load it does not go on, and is refused without a question', async () => {
    const { turn, call } = open();
    const { session } = turnOf(await turn(['SAY one'], { runtime: 'acp:forgets' }));
    const again = await call('runtime_turn', { runtime: 'acp:forgets', prompt: 'SAY two', session });
    expect(textOf(again)).toBe('This session is not known here; begin a new one');
  });

  it.each([standIn, 'acp:claude'])(
    '%s: a conversation that it has lost begins anew in the same call, with the end of the chat, asked about once',
    async (runtime) => {
      const { turn, root } = open();
      const { session } = turnOf(await turn(['SAY one'], { runtime }));
      writeFileSync(join(root, 'forgets'), '');
      const earlier = 'SAY earlier\n';
      const { events, session: same } = turnOf(await turn(['SAY two'], { runtime, session, earlier }));
      expect(same).toBe(session);
      expect(events).toEqual([
        { type: 'session', session },
        { type: 'notice', text: 'Its conversation was lost. A new one began.' },
        { type: 'text', text: 'earliertwo' },
      ]);
      rmSync(join(root, 'forgets'));
      expect(turnOf(await turn(['SAY three'], { runtime, session, earlier })).events).toHaveLength(2);
    },
  );

  it('what it would get of the chat is shown with the task', async () => {
    const { call } = open();
    const pictures = [{ name: 'a.png', mediaType: 'image/png', data: 'iVBORw0KGgo=' }];
    const given = { runtime: 'acp:claude', prompt: 'SAY two', earlier: 'SAY earlier', pictures };
    const text =
      'SAY two\n\n[With the picture "a.png", image/png, 8 bytes]\n\n[Before it, where its conversation is lost:]\nSAY earlier\n';
    expect(questionOf(await call('runtime_turn', given))?.preview).toMatchObject({ text });
    // The message is first, and all of it is there.
    const prompt = 'Person: one\n[The message now:]\nContinue.';
    const next = await call('runtime_turn', { runtime: 'acp:claude', prompt });
    expect(questionOf(next)?.preview).toMatchObject({
      text: 'Continue.\n\n[It gets this before the message:]\nPerson: one\n',
    });
  });

  it('a conversation that is lost once it has begun is not begun again', async () => {
    const { turn, state } = open();
    const { session } = turnOf(await turn(['SAY one'], { runtime: 'acp:claude' }));
    const again = await turn(['SAY two', 'FORGOTTEN'], {
      runtime: 'acp:claude',
      session,
      earlier: 'SAY x\n',
    });
    expect(textOf(again)).toMatch(/^RUNTIME_FAILED: /);
    expect(state.output).toBe('onetwo');
  });

  it('RT-09 a folder with what it would run unasked is refused, also by a link, and so are those below it', async () => {
    const { turn, root } = open();
    mkdirSync(join(root, '.plugins'));
    mkdirSync(join(root, 'sub/deep'), { recursive: true });
    const refused = 'not started in or below a folder with .plugins';
    expect(textOf(await turn(['SAY hi']))).toContain(refused);
    expect(textOf(await turn(['SAY hi'], { folder: 'sub/deep' }))).toContain(refused);
    rmSync(join(root, '.plugins'), { recursive: true });
    symlinkSync('/proc/self/cwd/sub', join(root, '.plugins'));
    expect(textOf(await turn(['SAY hi']))).toContain(refused);
  });

  it('RT-10 an action that the daemon did not open is refused, and its tool is not offered', async () => {
    const { call, toolbox, gate } = open();
    expect(textOf(await call('runtime_action', { action: 'x', command: 'rm -r .' }))).toContain('has ended');
    expect(toolbox.offered(gate.modes()).map(({ name }) => name)).toContain('runtime_turn');
    expect(toolbox.offered(gate.modes()).map(({ name }) => name)).not.toContain('runtime_action');
  });

  it('RT-12 switched off at the machine, it is stopped', async () => {
    const { turn, state, toolbox, gate } = open();
    state.answer = () => 'none';
    const turning = turn(['RUN echo asked']);
    await expect.poll(() => state.questions.length).toBe(1);
    await toolbox.open({ ...gate.modes(), runtime: 'deny' });
    expect(textOf(await turning)).toContain('Coding agents were switched off');
    gate.endSession();
    await toolbox.open(gate.modes());
  });

  it('one that dies says with what', async () => {
    expect(await words('DIE')).toContain('The coding agent ended: exit code 3');
  });

  it('limits the text and the actions of a program, and a message of more than 16 MiB', async () => {
    const { turn } = open();
    const { events } = turnOf(await turn(['MANY 2500', 'SAY on']));
    expect(events.length).toBeLessThanOrEqual(2_001);
    expect(JSON.stringify(events).length).toBeLessThan(500_000);
    expect(events.at(-1)).toEqual({
      ...{ type: 'notice', text: 'The rest of this turn is left out: it is too long' },
    });
    expect(await words('FLOOD 17')).toContain('it wrote a message of more than 16 MiB');
  });

  it('RT-12 a change of which there are stops what runs', async () => {
    const { turn, state, own } = open();
    state.answer = () => 'none';
    const turning = turn(['RUN echo asked']);
    await expect.poll(() => state.questions.length).toBe(1);
    writeFileSync(join(own, 'runtimes.json'), JSON.stringify({ version: 1, runtimes: {} }), { mode: 0o600 });
    expect(textOf(await turning)).toContain('switched off or changed');
  });
});
