import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  ended,
  openPage,
  startBrowser,
  startDaemon,
  startMachine,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('chromium', 'bubblewrap')('the panel while something breaks', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let page: Page;
  let ann: Person;
  let daemon: Daemon;

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes, { flags: ['--permission-shell', 'ask'] }));
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  /** Prints lines until there is a file `stop`; `started` has one line for each time that it was begun. */
  const counting =
    'echo begun >> started; i=0; while [ ! -e stop ]; do i=$((i+1)); echo "line $i"; sleep 0.25; done; echo "the end"';
  const stop = () => join(daemon.root, 'stop');
  const begun = () => readFileSync(join(daemon.root, 'started'), 'utf8');

  const runCounting = async () => {
    rmSync(stop(), { force: true });
    await page.goto(`${server.url}/tools?tool=shell_execute`);
    await page.locator('[name=command]').fill(counting);
    await page.locator('[name=timeout]').fill('300000');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.locator('[data-decision=allowOnce]').click();
  };
  const seesResult = async () => {
    writeFileSync(stop(), '');
    await page.locator('[data-test=result]').getByText('the end').waitFor();
  };
  const shows = (text: string) => page.locator('[data-test=output]').filter({ hasText: text }).waitFor();
  /** What the panel shows of a running command, from its first line. */
  const printed = async (of = page) => {
    const text = await of.locator('[data-test=output]').innerText();
    return text.trim().split('\n');
  };
  const linesTo = (last: number) => Array.from({ length: last }, (_, at) => `line ${at + 1}`);
  const showsAllTo = async (last: number, of = page) => {
    await of
      .locator('[data-test=output]')
      .filter({ hasText: `line ${last}\n` })
      .waitFor();
    const lines = await printed(of);
    expect(lines).toEqual(linesTo(lines.length));
  };
  const newest = async () => (await ann.api.calls.list.query({ limit: 1 })).calls[0];

  it('keeps what a command printed when its page is left, and shows it in the activity too', async () => {
    await runCounting();
    await shows('line 2');
    await page.getByRole('link', { name: 'Open in Activity' }).click();
    await shows('line 2');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Machines' }).first().click();
    await page.locator('[data-test=machine-row] a').click();
    await page.getByRole('link', { name: /\d+ tools/ }).click();
    await page.getByRole('link', { name: /shell_execute/ }).click();
    await shows('line 1');
    await seesResult();
    expect(begun()).toBe('begun\n');
  });

  it('server killed while a command prints: every line is shown while it runs, the result arrives, one execution', async () => {
    await runCounting();
    await showsAllTo(4);
    await server.end('SIGKILL');
    await page.locator('[data-test=away]').waitFor();
    await showsAllTo(4);
    await server.restart();
    await page.locator('[data-test=away]').waitFor({ state: 'detached' });
    await showsAllTo(16);
    await page.getByRole('link', { name: 'Open in Activity' }).click();
    await page.waitForURL(/\/activity\//);
    await page.reload();
    await showsAllTo(20);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await showsAllTo(24, second);
    await second.close();
    expect(await newest()).toMatchObject({ tool: 'shell_execute', state: 'delivered' });
    await seesResult();
    expect(begun()).toBe('begun\nbegun\n');
    expect(await newest()).toMatchObject({ tool: 'shell_execute', state: 'succeeded' });
  });

  it('daemon killed while a command prints: the call is lost, and the panel says that it may have run', async () => {
    await runCounting();
    await shows('line 3');
    await daemon.process.end('SIGKILL');
    daemon = startDaemon(processes, { url: server.url, root: daemon.root, home: daemon.home });
    await page.locator('[data-test=outcome]').getByText('It may have run').waitFor();
    await shows('line 3');
    const { requestId = '' } = (await newest()) ?? {};
    expect(await ended(ann, requestId)).toMatchObject({ tool: 'shell_execute', state: 'lost' });
    expect(begun()).toBe('begun\nbegun\nbegun\n');
  });
});
