import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { turnResult } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { systemClock } from '@drawbridge/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  createProcesses,
  ended,
  isRunning,
  openPage,
  postMcp,
  run,
  startBrowser,
  until,
  widthFaults,
  type Daemon,
  type Person,
  type Server,
  axeFaults,
} from './harness/index.ts';
import { startCodingWorld, type CodingWorld } from './agent/coding-world.ts';
import { startScriptedModel } from './agent/scripted-model.ts';
import { threadOf } from './agent/thread.ts';
import { describeWith } from './services.ts';

describeWith('bubblewrap', 'chromium')('a coding agent that a server starts', () => {
  const programs = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let token: string;

  let world: CodingWorld;

  beforeAll(async () => {
    world = await startCodingWorld(programs);
    ({ server, ann, daemon } = world);
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Desk', scopes: ['runtime'] }));
  });
  afterAll(() => programs.stopAll());

  const mcp = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const text = await (await postMcp(server.url, { token, body })).text();
    return JSON.parse(text.replace(/^[^]*data: (?=\{"result)/, '').trim()).result;
  };
  const turn = (...lines: string[]) => ({ runtime: 'acp:mine', prompt: lines.join('\n') });
  const asked = (title: string) => world.asked(title);
  const choose = (threadId: string, runtime?: string) => world.choose(threadId, runtime);
  const allow = (title: string) => world.allow(title);

  it('an MCP client gives it a task; its person answers its questions', async () => {
    const { tools } = (await mcp('tools/list', {})) as { tools: { name: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['machine_status', 'call_result', 'runtime_turn']);
    const calling = mcp('tools/call', {
      name: 'runtime_turn',
      arguments: turn('SAY on it', 'RUN echo made > made.txt', 'SAY done'),
    }) as unknown as Promise<ToolResult>;
    await allow('Let mine work in the shared folder?');
    await allow('mine: run “echo made > made.txt”?');
    const { structuredContent } = await calling;
    expect(turnResult.parse(structuredContent).events).toMatchObject([
      { type: 'session' },
      { type: 'text', text: 'on it' },
      { type: 'action', title: 'echo made > made.txt' },
      { type: 'asked', n: 1 },
      { type: 'action-end', status: 'completed' },
      { type: 'text', text: 'done' },
    ]);
    expect(readFileSync(join(daemon.root, 'made.txt'), 'utf8')).toBe('made\n');
    const { calls } = await ann.api.calls.list.query({});
    expect(calls.map(({ tool, state, decision, via }) => [tool, state, decision, via?.name])).toEqual([
      ['runtime_action', 'succeeded', 'allowOnce', 'Desk'],
      ['runtime_turn', 'succeeded', 'allowOnce', 'Desk'],
    ]);
  });

  it('RT-06 stopped, its question is withdrawn and nothing of it runs', async () => {
    const { requestId } = await run(ann, 'runtime_turn', turn('SLEEPER 65432', 'RUN touch no.txt'));
    const allowing = answer(ann, requestId, { approved: true });
    const { requestId: action } = await asked('mine: run touch no.txt?');
    expect(isRunning('sleep 65432')).toBe(true);
    await ann.api.calls.cancel.mutate({ requestId });
    expect((await allowing).state).toBe('cancelled');
    expect((await ended(ann, action)).state).toBe('cancelled');
    await until(async () => !isRunning('sleep 65432'));
    expect(await ann.api.confirmations.list.query()).toEqual([]);
    expect(existsSync(join(daemon.root, 'no.txt'))).toBe(false);
  });

  it('RT-06 Stop in the chat ends the turn within 2 s, with all that it started, and keeps its text', async () => {
    const thread = threadOf(ann, 'stopped');
    await choose('stopped');
    await thread.say('SLEEPER 76543\nWAIT');
    await allow('Let mine work in the shared folder?');
    await until(async () => isRunning('sleep 76543'));
    await until(async () => (await thread.now()).partial.some(({ text }) => text === 'left'));
    const from = systemClock.now();
    await thread.cancel();
    await until(async () => !isRunning('sleep 76543'));
    expect(systemClock.now() - from).toBeLessThan(2_000);
    expect((await thread.until('run-finish')).payload.status).toBe('cancelled');
    // Also what it was just writing.
    expect((await thread.of('text-block')).map(({ payload }) => payload.text)).toEqual(['left']);
  });

  it('RT-18 asks its person by a form of the chat, answered in a browser', async () => {
    const thread = threadOf(ann, 'form');
    await choose('form', 'acp:claude');
    await thread.say('CHOICE Which colour U+202E?|red|blue\nRUN touch second.txt\nSAY done');
    await allow('Let Claude work in the shared folder?');
    const page = await openPage(await startBrowser(), { person: ann });
    await page.goto(`${server.url}/chat/form`);
    const card = page.locator('[data-test=ask]');
    await card.getByRole('heading', { name: 'Claude asks' }).waitFor();
    await card.getByText(String.raw`Which colour \u{202e}?`).waitFor();
    expect(await widthFaults(page)).toEqual([]);
    expect(await axeFaults(page)).toEqual([]);
    await card.getByRole('radio', { name: 'blue: blue it is' }).press('Space');
    await card.getByRole('button', { name: 'Answer' }).press('Enter');
    // What it asks next is answered on another device.
    const deny = page.locator('[data-decision=denyOnce]');
    await deny.waitFor();
    await allow('Claude: run touch second.txt?');
    await deny.waitFor({ state: 'detached' });
    await page.getByText('done', { exact: true }).waitFor();
    expect(await card.count()).toBe(0);
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
    expect(existsSync(join(daemon.root, 'second.txt'))).toBe(true);
    const texts = (await thread.of('text-block')).map(({ payload }) => payload.text);
    expect(texts).toEqual([JSON.stringify({ ['Which colour \u202e?']: 'blue' }), 'done']);
    await page.context().close();
  });

  it('RT-19 shows a plan before the person sends it back or approves it', async () => {
    const thread = threadOf(ann, 'plan');
    await choose('plan', 'acp:claude');
    await thread.say('PLAN Paint it U+202E red\nQUOTE\nPLAN Paint it blue\nRUN touch planned.txt');
    await allow('Let Claude work in the shared folder?');
    const page = await openPage(await startBrowser(), { person: ann });
    await page.goto(`${server.url}/chat/plan`);
    const card = page.locator('[data-test=ask]');
    await card.getByText(String.raw`Paint it \u{202e} red`).waitFor();
    // For a moment after a question has come, keys are meant for what was there before.
    const send = async () => {
      const button = card.getByRole('button', { name: 'Answer' });
      await until(() => button.isEnabled());
      await button.press('Enter');
    };
    expect(await widthFaults(page)).toEqual([]);
    expect(await axeFaults(page)).toEqual([]);
    await card.getByRole('textbox').fill('Not red');
    await send();
    await card.getByText('Paint it blue').waitFor();
    await card.getByRole('radio', { name: 'Go on with this plan' }).press('Space');
    await send();
    await allow('Claude: run touch planned.txt?');
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
    const texts = (await thread.of('text-block')).map(({ payload }) => payload.text);
    expect(texts).toEqual(['The person sent the plan back: Not red']);
    expect(existsSync(join(daemon.root, 'planned.txt'))).toBe(true);
    expect(existsSync(join(daemon.root, 'harm.txt'))).toBe(false);
    await page.context().close();
  });

  it('RT-18 acp: a form that is skipped is declined; Stop closes an open one', async () => {
    const thread = threadOf(ann, 'skip');
    await choose('skip');
    const form = JSON.stringify({ name: { type: 'string', title: 'Name' } });
    await thread.say(`FORM ${form}\nFORM ${form}`);
    await allow('Let mine work in the shared folder?');
    const first = await until(async () =>
      (await thread.asks()).find(({ inputType }) => inputType === 'questions'),
    );
    expect(first).toMatchObject({ message: 'mine asks: Before I begin' });
    await thread.answer(first.requestId, { kind: 'questions', answers: [] });
    await until(async () => (await thread.of('confirmation-request')).length === 3);
    await thread.cancel();
    expect((await thread.until('run-finish')).payload.status).toBe('cancelled');
    expect((await thread.of('text-block')).map(({ payload }) => payload.text)).toEqual([
      '{"action":"decline"}',
    ]);
    expect(await thread.asks()).toEqual([]);
  });

  it('RT-18 a question that the program withdraws is closed in the chat and in the inbox while the turn works', async () => {
    const thread = threadOf(ann, 'taken');
    await choose('taken');
    const form = JSON.stringify({ name: { type: 'string', title: 'Name' } });
    await thread.say(`BACKFORM ${form}\nBACK touch taken.txt\nWAIT`);
    await allow('Let mine work in the shared folder?');
    await until(async () => (await thread.asks()).some(({ inputType }) => inputType === 'questions'));
    const shown = join(daemon.root, 'shown');
    writeFileSync(shown, '');
    await until(async () => (await thread.of('tool-error')).length === 1);
    const { requestId } = await asked('mine: run touch taken.txt?');
    writeFileSync(shown, '');
    expect((await ended(ann, requestId)).state).toBe('cancelled');
    await until(async () => (await thread.of('tool-error')).length === 2);
    expect(await thread.asks()).toEqual([]);
    expect(await ann.api.confirmations.list.query()).toEqual([]);
    const errors = (await thread.of('tool-error')).map(({ payload }) => payload.error);
    expect(new Set(errors)).toEqual(new Set(['The coding agent withdrew its question']));
    expect((await thread.of('run-finish')).length).toBe(0);
    await thread.cancel();
  });

  it('RT-12 a turn that is stopped or forbidden at the machine ends within 2 s, and a pause does not end it', async () => {
    const thread = threadOf(ann, 'off');
    await choose('off');
    const ways = [
      ['runtimes', 'stop'],
      ['permissions', 'set', 'runtime', 'deny'],
    ];
    for (const [at, way] of ways.entries()) {
      await thread.say(`SLEEPER 8765${at}\nUNTIL off`);
      await allow('Let mine work in the shared folder?');
      await until(async () => existsSync(join(daemon.root, 'off.waits')));
      await ann.api.machines.pause.mutate({ machineId: null });
      await ann.api.machines.resume.mutate({ machineId: null });
      expect(isRunning(`sleep 8765${at}`)).toBe(true);
      world.drawbridge(...way);
      const from = systemClock.now();
      await until(async () => !isRunning(`sleep 8765${at}`));
      expect(systemClock.now() - from).toBeLessThan(2_000);
      await until(async () => (await thread.of('run-finish')).length === at + 1);
      const { payload } = (await thread.of('error'))[at] ?? {};
      expect(payload?.content).toContain('switched off');
      rmSync(join(daemon.root, 'off.waits'));
    }
    // On a server without a model there is a chat while a machine may start one.
    const page = await openPage(await startBrowser(), { person: ann });
    await page.goto(`${server.url}/chat`);
    await page.getByRole('link', { name: 'Use a coding agent' }).waitFor();
    world.drawbridge('permissions', 'set', 'runtime', 'ask');
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.context().close();
  });

  it('RT-17 stands on the page of its machine, where it is tested and others have the command for them', async () => {
    const browser = await startBrowser();
    const page = await openPage(browser, { person: ann });
    const [machine] = await ann.api.machines.list.query();
    await page.goto(`${server.url}/machines/${machine?.id}`);
    const row = (name: string) => page.locator('[data-test=runtime-row]').filter({ hasText: name });
    await row('acp:mine').getByText('Enabled').waitFor();
    await page.locator('[data-test=absent] summary').press('Enter');
    await row('gemini').getByText('npm install -g @google/gemini-cli').waitFor();
    expect(await row('gemini').getByRole('button', { name: /^Test/ }).count()).toBe(0);
    await row('acp:mine').getByRole('button', { name: /^Test/ }).press('Enter');
    await row('acp:mine').getByText('Works: it started in its sandbox').waitFor();
    expect(await widthFaults(page)).toEqual([]);
    expect(await axeFaults(page)).toEqual([]);
    await page.context().close();
  });

  it('the built-in agent answers the message of a coding agent that cannot start, after one click', async () => {
    const model = await startScriptedModel(() => ({ text: 'From the model' }));
    const thread = threadOf(ann, 'native');
    await choose('native');
    world.drawbridge('runtimes', 'disable', 'acp:mine');
    await until(async () => {
      const { options } = await ann.api.agent.runtimes.query({ threadId: 'native' });
      return options.every(({ id }) => id !== 'acp:mine');
    });
    await ann.api.agent.settings.change.mutate({ model: 'stub', modelUrl: model.url });
    await thread.say('Who is there?');
    const page = await openPage(await startBrowser(), { person: ann });
    await page.goto(`${server.url}/chat/native`);
    await page.getByText('drawbridge runtimes enable acp:mine').waitFor();
    expect(await widthFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Answer with the built-in agent' }).press('Enter');
    const answered = await thread.until('text-block');
    expect(answered.payload.text).toBe('From the model');
    await page.locator('main').getByText('From the model').last().waitFor();
    const sent = model.requests.map(({ text }) => text.split('Who is there?').length - 1);
    expect(Math.max(...sent)).toBe(1);
    await page.context().close();
    await model.close();
  });
});
