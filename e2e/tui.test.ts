import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startScriptedModel, type ScriptedModel } from './agent/scripted-model.ts';
import {
  createProcesses,
  fromRoot,
  newFolder,
  owner,
  startMachine,
  until,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const processes = createProcesses();
let model: ScriptedModel;
let server: Server;
let ann: Person;
let token = '';
let writes = 0;

beforeAll(async () => {
  model = await startScriptedModel(({ body }) => {
    const last = body.messages.at(-1);
    const said = JSON.stringify(last?.content ?? '');
    if (/You give a conversation its title/.test(JSON.stringify(body.messages[0]))) return { text: 'Title' };
    if (last?.role === 'tool') return { text: 'It is written.\u001b[2J' };
    if (said.includes('write'))
      return {
        calls: [{ name: 'write_file', arguments: { filePath: 'by-pipe.txt', content: `${(writes += 1)}` } }],
      };
    return { text: `You said ${said.includes('first') ? 'one' : 'two'}.` };
  });
  const env = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url };
  ({ server, ann } = await startMachine(processes, { env }));
  const scopes = ['agent', 'filesystemWrite'] as const;
  ({ token } = await ann.api.tokens.create.mutate({ name: 'tui', scopes: [...scopes] }));
});

afterAll(async () => {
  await processes.stopAll();
  await model?.close();
});

/** Runs `drawbridge tui` as a pipe. */
const tui = (args: string[], { lines = [], secret = token }: { lines?: string[]; secret?: string } = {}) => {
  const home = newFolder('tui');
  const child = spawn(
    process.execPath,
    [fromRoot('apps/daemon/dist/cli.cjs'), 'tui', '--server', server.url, ...args],
    {
      env: { PATH: process.env.PATH ?? '', HOME: home, DRAWBRIDGE_TOKEN: secret },
    },
  );
  const out = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (out.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (out.stderr += chunk.toString()));
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { out, ended };
};

describe('drawbridge tui without a terminal', () => {
  it('sends line after line and prints the answers alone, in order', async () => {
    const { out, ended } = tui([], {
      lines: ['first', '/queue', '/runtime', '/runtime activate gemini', 'then'],
    });
    expect(await ended).toBe(0);
    expect(out.stdout).toMatch(
      /^You said one\.\nmode: followup[^]*No message waits\.\nRuntime: native[^]*scope runtime[^]*\nYou said two\.\n$/,
    );
    expect(out.stderr).toBe('');
  });

  it('says where a question is answered, waits, and goes on', async () => {
    const { out, ended } = tui(['--send', 'write it']);
    await until(async () => (await ann.api.confirmations.list.query()).length > 0);
    const [question] = await ann.api.confirmations.list.query();
    await until(async () => out.stderr.includes(question?.id ?? '?'));
    expect(out.stderr).toContain('by-pipe.txt');
    const confirmationId = question?.id ?? '';
    await ann.api.confirmations.decide.mutate({
      confirmationId,
      approved: true,
      resourceDecision: 'allowOnce',
    });
    expect(await ended).toBe(0);
    expect(out.stdout).toContain('It is written.');
    expect(out.stdout).not.toContain('\u001b');
  });

  it('goes on after the server was away, in the same session, and prints each event with --json', async () => {
    const { out, ended } = tui(['--session', 'tui:kept', '--json'], { lines: ['first'] });
    expect(await ended).toBe(0);
    const events = out.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event?: string });
    expect(events.map(({ event }) => event)).toEqual([
      'caught_up',
      'run_state',
      'content',
      'run_state',
      undefined,
    ]);
    await server.end('SIGKILL');
    const away = tui(['--session', 'tui:kept', '--send', 'then']);
    await until(async () => away.out.stderr.includes('trying again'));
    await server.restart();
    expect(await away.ended).toBe(0);
    expect(away.out.stdout).toBe('You said two.\n');
  });

  it('refuses a token of another kind, and one that is not valid', async () => {
    const pairing = tui(['--send', 'x'], { secret: `gw_${'a'.repeat(32)}` });
    expect([await pairing.ended, pairing.out.stderr]).toEqual([
      2,
      expect.stringContaining('not an access token'),
    ]);
    const unknown = tui(['--send', 'x'], { secret: `dbt_${'a'.repeat(40)}` });
    expect([await unknown.ended, unknown.out.stderr]).toEqual([1, expect.stringContaining('refused')]);
    expect(unknown.out.stderr).not.toContain('a'.repeat(40));
  });
});

/** Runs `drawbridge tui --sign-in` on the screen of a real terminal. */
const screen = async () => {
  const home = newFolder('tui');
  const socket = join(home, 'tmux');
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  processes.start({ command: 'tmux', args: ['-D', '-S', socket, '-f', '/dev/null'], env: { HOME: home } });
  const program = `${process.execPath} ${fromRoot('apps/daemon/dist/cli.cjs')} tui --server ${server.url}`;
  const command = `${program} --sign-in; echo "ended with $?"; exec cat`;
  await until(async () => {
    try {
      return tmux('new-session', '-d', '-x', '110', '-y', '200', command) === '';
    } catch {
      return false;
    }
  });
  const text = () => tmux('capture-pane', '-p', '-J');
  return {
    text,
    shows: (part: string) => until(async () => text().includes(part)),
    type: (line: string) => {
      tmux('send-keys', '-l', line);
      tmux('send-keys', 'Enter');
    },
  };
};

describeWith('tmux')('drawbridge tui --sign-in', () => {
  const sessions = async () => (await ann.api.account.sessions.query()).length;

  const signIn = async (password: string) => {
    const { shows, text, type } = await screen();
    await shows('E-mail');
    type(owner.email);
    await shows('Password');
    type(password);
    return { shows, text, type };
  };

  it('a question is answered where it is shown, and the session ends with the program', async () => {
    const before = await sessions();
    const { shows, text, type } = await signIn(owner.password);
    await shows('connected · tui:');
    expect([text().includes(owner.password), await sessions()]).toEqual([false, before + 1]);
    type('write it');
    await shows('allow, session, always');
    // Refused as too early at first, then as no answer.
    await until(async () => {
      if (!text().includes('one of allow')) type('perhaps');
      return text().includes('one of allow');
    });
    expect(await ann.api.confirmations.list.query()).toHaveLength(1);
    type('allow');
    await shows('It is written.');
    expect(await ann.api.confirmations.list.query()).toEqual([]);
    type('/leave');
    await shows('ended with 0');
    expect(await sessions()).toBe(before);
  });

  it('says that the password is wrong, and ends with 1', async () => {
    const { shows, text } = await signIn('another password');
    await shows('ended with 1');
    expect(text()).toContain('Wrong e-mail or password');
  });
});
