import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nextMacrotask } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../e2e/services.ts';
import { json } from './support/gateway-server.ts';
import {
  connect,
  home,
  noSandbox,
  run,
  server,
  setUpEachTest,
  start,
  until,
  work,
} from './support/start-cli.ts';

setUpEachTest();

// Without the sandbox, so that these tests need no service: what is tested is the daemon around the command.
const allowAll = ['--permission-shell', 'allow', '--permission-filesystem-write', 'allow', noSandbox];

const send = (requestId: string, name: string, args: Record<string, unknown>, again?: true) => {
  const payload = { requestId, toolCall: { name, arguments: args }, ...(again && { again }) };
  server.send({ type: 'filesystem-request', payload });
};

const answersTo = (requestId: string) =>
  server.seen.filter(({ path }) => path === `/response/${requestId}`).map(({ body }) => body);

const startAgain = async () => {
  const before = server.seen.filter(({ path }) => path === '/events').length;
  const again = start(['connect', ...allowAll]);
  await until(() => expect(again.out.stderr).toContain('connected     '));
  expect(server.seen.filter(({ path }) => path === '/events')).toHaveLength(before + 1);
  return again;
};

const lost = (why: string) => ({
  result: {
    content: [{ type: 'text', text: expect.stringMatching(new RegExp(`^This call may have run: ${why}`)) }],
    isError: true,
    _meta: { 'drawbridge/outcome': 'lost', 'drawbridge/started': true },
  },
});

const connectAndKeep = async (flags: string[] = allowAll) => {
  const started = await connect(flags);
  await until(() => expect(readdirSync(join(home, '.drawbridge'))).toContain('session.json'));
  return started;
};

const journalFolder = () => {
  const all = join(home, '.drawbridge/journal');
  return join(all, String(readdirSync(all)[0]));
};

const journalText = () =>
  readdirSync(journalFolder(), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(journalFolder(), name), 'utf8'))
    .join('');

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

describe('drawbridge after kill -9', { timeout: 60_000 }, () => {
  it('reports a command that ran as lost, at once and to a repeat, and never runs it again', async () => {
    const { child, code } = await connectAndKeep();
    const first = 'echo run >> runs; echo $DRAWBRIDGE_CALL > tag; echo $$ > pid';
    const command = { command: `${first}; sleep 60; echo late >> runs` };
    send('r1', 'shell_execute', command);
    await until(() => expect(readdirSync(work)).toContain('pid'));
    // A sandbox of the call that has not begun yet.
    const DRAWBRIDGE_TAG = readFileSync(join(work, 'tag'), 'utf8').trim();
    const starting = spawn('sleep', ['1000'], { stdio: 'ignore', env: { ...process.env, DRAWBRIDGE_TAG } });
    onTestFinished(() => void starting.kill());
    child.kill('SIGKILL');
    await code;
    const pid = Number(readFileSync(join(work, 'pid'), 'utf8'));
    expect(process.kill(pid, 0)).toBe(true);
    const { out } = await startAgain();
    await until(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'));
    await until(() => expect(starting.signalCode).toBe('SIGKILL'));
    expect(out.stderr).toMatch(/^lost {10}call r1 may have run when drawbridge ended$/m);
    await until(() => expect(answersTo('r1')).toEqual([lost('drawbridge ended there')]));
    send('r1', 'shell_execute', command, true);
    await until(() => expect(answersTo('r1')).toEqual(Array(2).fill(lost('drawbridge ended there'))));
    expect(readFileSync(join(work, 'runs'), 'utf8')).toBe('run\n');
  });

  it('delivers a result that the server did not have, once', async () => {
    const { child, code } = await connectAndKeep();
    // Without an answer it is posted once: none is still on its way when the process has ended.
    server.answer('response', () => undefined);
    send('r1', 'shell_execute', { command: 'echo run >> runs; echo out' });
    await until(() => expect(answersTo('r1')).toHaveLength(1));
    child.kill('SIGKILL');
    await code;
    server.seen.splice(0);
    server.answer('response', json(200, { ok: true }));
    const second = await startAgain();
    const result = { content: [{ type: 'text', text: '{"stdout":"out\\n","stderr":"","exitCode":0}' }] };
    await until(() => expect(answersTo('r1')).toEqual([{ result }]));
    send('r1', 'shell_execute', { command: 'echo run >> runs; echo out' }, true);
    await until(() => expect(answersTo('r1')).toEqual([{ result }, { result }]));
    // That the server has it is known once it is written down, a moment after the server had it.
    await until(() => expect(journalText()).toContain('"taken"'));
    second.child.kill('SIGKILL');
    await second.code;
    await startAgain();
    expect(answersTo('r1')).toHaveLength(2);
    expect(readFileSync(join(work, 'runs'), 'utf8')).toBe('run\n');
  });

  it('leaves the file as it was or as it shall be, and nothing beside it', async () => {
    writeFileSync(join(work, 'big'), '');
    truncateSync(join(work, 'big'), 512 * 1024 * 1024);
    writeFileSync(join(work, 'copy'), 'old');
    const { child, code } = await connectAndKeep();
    send('r1', 'copy_file', { sourcePath: 'big', destinationPath: 'copy' });
    await until(() => expect(readdirSync(work).filter((name) => name.endsWith('.tmp'))).toHaveLength(1));
    child.kill('SIGKILL');
    await code;
    expect(readdirSync(work)).toHaveLength(3);
    await startAgain();
    await until(() => expect(answersTo('r1')).toEqual([lost('drawbridge ended there')]));
    expect(readdirSync(work).toSorted()).toEqual(['big', 'copy']);
    expect(readFileSync(join(work, 'copy'), 'utf8')).toBe('old');
  });

  it('FS-29 at any moment of a write: old or new, nothing beside it, and the answer tells which is possible', async () => {
    const texts = ['a', 'b'].map((text) => text.repeat(400_000));
    writeFileSync(join(work, 'a.txt'), texts[0] ?? '');
    let daemon = await connectAndKeep();
    for (let round = 0; round < 4; round += 1) {
      const before = readFileSync(join(work, 'a.txt'), 'utf8');
      const after = texts.find((text) => text !== before) ?? '';
      const { child, code } = daemon;
      const id = `w${round}`;
      send(id, 'write_file', { filePath: 'a.txt', content: after });
      // Later in each round: before it is read, before the start, in the middle, after the end.
      for (let turn = 0; turn < round * 70; turn += 1) await nextMacrotask();
      child.kill('SIGKILL');
      await code;
      const found = readFileSync(join(work, 'a.txt'), 'utf8');
      expect([before, after]).toContain(found);
      daemon = await startAgain();
      send(id, 'write_file', { filePath: 'a.txt', content: after }, true);
      await until(() => expect(answersTo(id).length).toBeGreaterThan(0));
      const [answer] = answersTo(id);
      const wasLost = JSON.stringify(answer).includes('"lost"');
      expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe(wasLost ? found : after);
      expect(readdirSync(work)).toEqual(['a.txt']);
    }
  });

  it('with a damaged journal it says so, and starts nothing that may have run', async () => {
    const { child, code } = await connectAndKeep();
    send('r1', 'shell_execute', { command: 'echo run >> runs' });
    await until(() => expect(answersTo('r1')).toHaveLength(1));
    child.kill('SIGKILL');
    await code;
    writeFileSync(join(journalFolder(), 'journal'), 'garbage\n');
    const { out } = await startAgain();
    expect(out.stderr).toMatch(
      /^error {2}The journal of this machine was damaged; it is kept as .*journal\.broken-\d+$/m,
    );
    send('r1', 'shell_execute', { command: 'echo run >> runs' }, true);
    await until(() => expect(answersTo('r1').at(-1)).toEqual(lost('the journal of this machine')));
    send('r2', 'shell_execute', { command: 'echo run >> runs' });
    await until(() => expect(answersTo('r2')).toHaveLength(1));
    expect(readFileSync(join(work, 'runs'), 'utf8')).toBe('run\nrun\n');
  });
});

describeWith('bubblewrap')('drawbridge after kill -9, with the sandbox', () => {
  it('SH-36 nothing of a command in the sandbox is left', async () => {
    const { child, code } = await connectAndKeep(['--permission-shell', 'allow']);
    const time = `1000.${Math.random().toString().slice(2, 12)}`;
    const running = () => readdirSync('/proc').some((pid) => commandLine(pid).endsWith(`\0${time}\0`));
    send('r1', 'shell_execute', { command: `setsid env -i /bin/sleep ${time} & sleep 1000` });
    await until(() => expect(running()).toBe(true));
    child.kill('SIGKILL');
    await code;
    await until(() => expect(running()).toBe(false));
  });
});

describe('a disk that takes nothing more', { timeout: 60_000 }, () => {
  it('keeps calls from changing anything, lets them read, and all goes on once there is space', async () => {
    writeFileSync(join(work, 'a.txt'), 'hello');
    const { child } = await connectAndKeep();
    const shell = { command: 'echo run >> runs' };
    send('before', 'shell_execute', shell);
    await until(() => expect(answersTo('before')).toHaveLength(1));
    // No file of the daemon may grow: like a full disk, and another limit lets it grow again.
    const setLimit = (limit: string) =>
      execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${limit}`]);
    setLimit('0:unlimited');
    for (const id of ['full-1', 'full-2']) send(id, 'shell_execute', shell);
    send('read', 'read_file', { filePath: 'a.txt' });
    await until(() => expect(answersTo('read')).toHaveLength(1));
    expect(JSON.stringify(answersTo('read'))).toContain('hello');
    const text = 'Nothing was changed: this machine cannot write its journal (is the disk full?)';
    const refused = {
      result: { content: [{ type: 'text', text }], isError: true, _meta: { 'drawbridge/started': false } },
    };
    for (const id of ['full-1', 'full-2']) await until(() => expect(answersTo(id)).toEqual([refused]));
    setLimit('unlimited:unlimited');
    send('after', 'shell_execute', shell);
    await until(() =>
      expect(answersTo('after')).toMatchObject([{ result: { content: [{ type: 'text' }] } }]),
    );
    expect(readFileSync(join(work, 'runs'), 'utf8')).toBe('run\nrun\n');
    child.kill('SIGKILL');
    const { out } = await startAgain();
    expect(out.stderr).not.toMatch(/damaged|^lost/m);
  });

  it('in the middle of a call: the result arrives all the same', async () => {
    const { child, code } = await connectAndKeep();
    send('r1', 'shell_execute', {
      command: 'touch started; while [ ! -e go ]; do sleep 0.05; done; echo out',
    });
    await until(() => expect(readdirSync(work)).toContain('started'));
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=0:unlimited']);
    writeFileSync(join(work, 'go'), '');
    await until(() => expect(JSON.stringify(answersTo('r1'))).toContain('out\\\\n'));
    child.kill('SIGKILL');
    await code;
    // What could not be written down may have run, as far as the next one knows.
    const { out } = await startAgain();
    expect(out.stderr).toMatch(/^lost {10}call r1 /m);
  });
});

describe('a second drawbridge', { timeout: 60_000 }, () => {
  it('with the same session says so and ends; after kill -9 of the first it starts', async () => {
    const { child, code } = await connectAndKeep();
    const second = await run(['connect', ...allowAll]);
    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toContain(`error  drawbridge is already running: process ${child.pid}, `);
    expect(server.seen.filter(({ path }) => path === '/init')).toHaveLength(1);
    child.kill('SIGKILL');
    await code;
    await startAgain();
  });
});
