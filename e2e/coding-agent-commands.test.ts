import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openExampleClient } from '../apps/server/test/example-client.ts';
import { codingFlags, codingHome, startCodingWorld, type CodingWorld } from './agent/coding-world.ts';
import { threadOf, type Thread } from './agent/thread.ts';
import {
  connectDaemon,
  createProcesses,
  daemonEntry,
  isRunning,
  newFolder,
  openPage,
  startBrowser,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { guest } from './harness/server.ts';
import { describeWith } from './services.ts';

describeWith('bubblewrap', 'chromium')('what answers a chat', () => {
  const programs = createProcesses();
  let world: CodingWorld;
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let token: string;
  beforeAll(async () => {
    world = await startCodingWorld(programs);
    ({ server, ann, daemon } = world);
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Desk', scopes: ['agent', 'runtime'] }));
  });
  afterAll(() => programs.stopAll());

  it('22 is chosen by commands in the panel', async () => {
    await world.choose('commands');
    const page = await openPage(await startBrowser(), { person: ann });
    await page.goto(`${server.url}/chat/commands`);
    const prompt = page.getByRole('textbox', { name: 'Message' });
    const tries: [string, RegExp][] = [
      ['/runtime list', /pi_embedded on .*: ready/],
      ['/runtime activate pi', /Runtime: pi_embedded on .*, chosen in this chat\./],
      ['/runtime status', /Its conversation: none yet/],
      ['/runtime new', /The next message begins a new conversation/],
      ['/backend deactivate pi', /Runtime: native\. Model: none\./],
    ];
    for (const [command, words] of tries) {
      await prompt.fill(command);
      await prompt.press('Enter');
      await page.getByText(words).last().waitFor();
    }
    expect((await ann.api.agent.runtimes.query({ threadId: 'commands' })).chosen).toBeNull();
    await page.context().close();
  });

  it('22 is chosen by commands of the client that the specification prints, which reads its answer', async () => {
    const { client, printed } = await openExampleClient(server.url, token);
    const send = async (message: string) => (await client.sendMessage(message, 'rpc:one')).response;
    expect(await send('/backend activate pi')).toContain('Runtime: pi_embedded on ');
    expect(await send('/runtime status')).toContain('chosen in this chat');
    const answered = send('SAY hello\nRUN echo made > by-rpc.txt');
    await world.allow('Let Pi work in the shared folder?');
    await world.allow('Pi: run “echo made > by-rpc.txt”?');
    expect(await answered).toBe('hello');
    expect(readFileSync(join(daemon.root, 'by-rpc.txt'), 'utf8')).toBe('made\n');
    expect(printed).toContainEqual(['Content:', 'hello']);
    expect(printed).toContainEqual(['Done:', 'hello']);
    expect(await send('/runtime use config')).toContain('Runtime: native');
    client.ws.close();
  });

  it('22 is chosen by commands in the terminal', async () => {
    const lines = ['/runtime list', '/runtime activate pi', '/backend status', '/runtime deactivate pi'];
    const args = [daemonEntry, 'tui', '--server', server.url, '--session', 'tui:one'];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH ?? '', HOME: newFolder('tui'), DRAWBRIDGE_TOKEN: token },
    });
    let out = '';
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stdin.end(lines.map((line) => `${line}\n`).join(''));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    const said = [
      'pi_embedded on .*: ready',
      'Runtime: pi_embedded',
      'chosen in this chat',
      'Runtime: native',
    ];
    expect(out).toMatch(new RegExp(said.join('[^]*')));
  });

  /** A turn that has left a process, and waits. */
  const begin = async (
    thread: Thread,
    person: Person,
    { root, seconds }: { root: string; seconds: number },
  ) => {
    const message = '/runtime activate acp:mine';
    const more = { attachments: [], mode: 'reject' as const };
    await person.api.agent.send.mutate({ threadId: thread.id, message, ...more });
    await thread.say(`SLEEPER ${seconds}\nUNTIL off`);
    const question = await until(async () => (await person.api.confirmations.list.query())[0]);
    await person.api.confirmations.decide.mutate({ confirmationId: question.id, approved: true });
    await until(async () => existsSync(join(root, 'off.waits')));
    rmSync(join(root, 'off.waits'));
  };
  /** The 2 s that a program has to end, on a busy machine. */
  const soonMs = 10_000;
  /** How long that process still runs. */
  const endOf = async (seconds: number) => {
    const from = systemClock.now();
    await until(async () => !isRunning(`sleep ${seconds}`));
    return systemClock.now() - from;
  };

  it('29 RT-12 a turn whose machine is disconnected ends at once, and says so', async () => {
    const thread = threadOf(ann, 'disconnected');
    await begin(thread, ann, { root: daemon.root, seconds: 54321 });
    await ann.api.gateway.disconnect.mutate();
    expect(await endOf(54321)).toBeLessThan(soonMs);
    expect((await thread.until('run-finish')).payload.status).toBe('error');
    expect((await thread.until('error')).payload.content).toMatch(/disconnected/i);
  });

  it('29 RT-12 a turn of an account that is disabled ends at once', async () => {
    const ben = await server.invite(ann);
    const own = await connectDaemon(programs, {
      ...{ person: ben, url: server.url, home: codingHome(), flags: codingFlags },
    });
    await begin(threadOf(ben, 'disabled'), ben, { root: own.root, seconds: 65433 });
    const { id = '' } = (await ann.api.people.list.query()).find(({ name }) => name === 'Ben') ?? {};
    await ann.api.people.disable.mutate({ id });
    expect(await endOf(65433)).toBeLessThan(soonMs);
    // Once it is enabled again, its chat says how that ended.
    await ann.api.people.enable.mutate({ id });
    await ben.signIn(guest);
    expect((await threadOf(ben, 'disabled').until('run-finish')).payload.status).not.toBe('completed');
  });
});
