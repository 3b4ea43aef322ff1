import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  connectDaemon,
  createProcesses,
  ended,
  follow,
  newFolder,
  openPage,
  questionOf,
  startBrowser,
  startServer,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const names = ['laptop', 'desk', 'nas'] as const;
type Name = (typeof names)[number];

describeWith('chromium')('three machines of one person', () => {
  const processes = createProcesses();
  const daemons = {} as Record<Name, Daemon>;
  let server: Server;
  let ann: Person;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const local = newFolder('local');
    server = await startServer(processes, {
      LOCAL_GATEWAY_DIR: local,
      ...{ AGENT_MODEL: 'stub', AGENT_MODEL_URL: 'http://127.0.0.1:9' },
    });
    ann = await server.createOwner();
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
    for (const name of names)
      daemons[name] = await connectDaemon(processes, {
        person: ann,
        url: server.url,
        flags: ['--name', name],
      });
  });
  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  let writes = 0;
  const write = (name: Name) =>
    ann.api.calls.run.mutate({
      name: 'write_file',
      arguments: { filePath: `${name}.txt`, content: `${(writes += 1)}` },
      machineId: name,
    });
  const row = (name: string) => page.locator('[data-test=machine-row]', { hasText: name });

  it('the machine of the server itself connects and offers its folder to the owner', async () => {
    const own = await until(async () => {
      const machines = await ann.api.machines.list.query();
      return machines.find(({ name, state }) => !names.some((one) => one === name) && state === 'online');
    });
    const listed = await ann.api.calls.run.mutate({
      name: 'list_files',
      arguments: { dirPath: '.' },
      machineId: own.id,
    });
    expect([own.isDefault, listed.state]).toEqual([false, 'succeeded']);
    expect(await ann.api.settings.get.query()).toMatchObject({ localGateway: true });
  });

  it('two ask at once, and each is answered where its card names it', async () => {
    const [laptop, desk] = [await write('laptop'), await write('desk')];
    const machines = await ann.api.machines.list.query();
    const open = await ann.api.confirmations.list.query();
    const questionOf = (name: Name) => {
      const { id } = machines.find((machine) => machine.name === name) ?? {};
      return open.find(({ machineId }) => machineId === id)?.id ?? 'none';
    };
    for (const [name, button] of [
      ['desk', 'denyOnce'],
      ['laptop', 'allowOnce'],
    ] as const) {
      await page.goto(`${server.url}/inbox/${questionOf(name)}`);
      await page.locator('[data-test=confirmation]').getByText(name, { exact: true }).first().waitFor();
      await page.locator(`[data-decision=${button}]:enabled`).first().click();
      await ended(ann, (name === 'desk' ? desk : laptop).requestId);
    }
    expect((await ended(ann, laptop.requestId)).state).toBe('succeeded');
    expect((await ended(ann, desk.requestId)).state).toBe('denied');
    expect(existsSync(join(daemons.laptop.root, 'laptop.txt'))).toBe(true);
    expect(existsSync(join(daemons.desk.root, 'desk.txt'))).toBe(false);
  });

  it('a paused one keeps its question and refuses new calls, and the others go on', async () => {
    const asked = await write('nas');
    await follow(page, '/machines');
    await row('nas').click();
    await page.getByRole('button', { name: 'Pause', exact: true }).last().click();
    await page.locator('[data-test=paused]').waitFor();
    await page.getByText('Paused: no new calls').first().waitFor();
    await page.getByText('1 question stays.').first().waitFor();
    await expect(write('nas')).rejects.toMatchObject({ data: { code: 'MACHINE_PAUSED' } });
    const read = { name: 'list_files', arguments: { dirPath: '.' }, machineId: 'laptop' };
    expect((await ann.api.calls.run.mutate(read)).state).toBe('succeeded');
    const { id } = await questionOf(ann, asked.requestId);
    await follow(page, `/inbox/${id}`);
    await page.locator('[data-decision=allowOnce]:enabled').click();
    expect((await ended(ann, asked.requestId)).state).toBe('succeeded');
    expect(existsSync(join(daemons.nas.root, 'nas.txt'))).toBe(true);
  });

  it('during a pause, Stop everything is there while something is open, and says what it ended', async () => {
    const asked = await write('laptop');
    const [pause, stop, resume] = ['Pause all', 'Stop everything', 'Resume all'].map((name) =>
      page.getByRole('button', { name, exact: true }).first(),
    ) as [Locator, Locator, Locator];
    await follow(page, '/activity');
    await pause.click();
    await resume.waitFor();
    await stop.click();
    await page.getByText('Stopped: 1 question').first().waitFor();
    expect(await ended(ann, asked.requestId)).toMatchObject({
      state: 'cancelled',
      error: { code: 'CANCELLED', message: 'The user stopped everything' },
    });
    await stop.waitFor({ state: 'detached' });
    await resume.click();
    await page.getByText('New calls are accepted again.').first().waitFor();
  });

  it('one that is away is renamed and removed; its calls keep its name', async () => {
    await daemons.desk.process.end('SIGINT');
    await follow(page, '/machines');
    await row('desk').getByText('Offline').waitFor();
    // A new chat names its machine, and says when that is offline.
    await follow(page, '/chat');
    const begin = page.locator('[data-test=empty]');
    await begin.getByText('The agent works on nas.').waitFor();
    await page.getByRole('button', { name: 'Machine of this chat' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'desk (offline)' }).click();
    await begin.getByText('desk is offline.').waitFor();
    await follow(page, '/machines');
    await row('desk').click();
    const menu = async (item: string) => {
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };
    await menu('Rename');
    await page.getByRole('dialog').getByRole('textbox').fill('old-desk');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'old-desk' }).waitFor();
    await menu('Remove');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.waitForURL(`${server.url}/machines`);
    await until(async () => (await row('old-desk').count()) === 0);
    expect(await ann.api.machines.forgotten.query()).toMatchObject([{ name: 'old-desk' }]);
    const { calls } = await ann.api.calls.list.query({ limit: 20 });
    expect(calls.some(({ tool, state }) => tool === 'write_file' && state === 'denied')).toBe(true);
  });

  it('each job is done with the keyboard alone: answer, find, tighten, stop, revoke, connect', async () => {
    const { keyboard } = page;
    await ann.api.tokens.create.mutate({ name: 'Reader', scopes: ['filesystemRead'] });
    const asked = await write('laptop');
    /** Opens a page by its name in the list of Ctrl+K. */
    const go = async (words: string, to: RegExp) => {
      await keyboard.press('Control+k');
      await page.locator('[data-test=palette] input:focus').waitFor();
      await keyboard.type(words);
      await page.locator('[data-test=palette] [role=option][data-highlighted]', { hasText: words }).waitFor();
      await keyboard.press('Enter');
      await page.waitForURL(to);
      await page.locator('[data-test=palette]').waitFor({ state: 'detached' });
    };
    const focused = () =>
      page.evaluate<string>(
        `document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()`,
      );
    /** Presses Tab until the element with that name has the focus. */
    const reach = async (name: string) => {
      const passed: string[] = [];
      for (let at = await focused(); at !== name; at = await focused()) {
        passed.push(at.slice(0, 30));
        if (passed.length > 80) throw new Error(`${name} is not reached: ${passed.join(', ')}`);
        await keyboard.press('Tab');
      }
    };
    const press = async (name: string) => {
      await reach(name);
      await keyboard.press('Enter');
    };

    await go('laptop.txt', /inbox/);
    await until(async () => {
      await keyboard.press('d');
      return (await ann.api.calls.get.query({ requestId: asked.requestId })).state === 'denied';
    });
    await go('Activity', /activity/);
    await reach('Search path, command, host');
    await keyboard.type('laptop.txt');
    await page.waitForURL(/q=laptop/);
    await go('nas', /machines/);
    await press('Set to Ask: Read files');
    await page.locator('[data-test=mode]', { hasText: 'Read files' }).getByText('Asks you').waitFor();
    const open = await write('laptop');
    await press('Stop everything');
    expect((await ended(ann, open.requestId)).state).toBe('cancelled');
    await go('Agents', /agents/);
    await press('Revoke Reader');
    await page.getByRole('dialog').waitFor();
    await press('Revoke');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await ann.api.tokens.list.query()).toEqual([]);
    await go('Connect a machine', /machines.new/);
    await press('Copy command');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
  });
});
