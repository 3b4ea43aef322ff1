import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  connectDaemon,
  createProcesses,
  follow,
  openPage,
  otherHost,
  owner,
  run,
  startBrowser,
  startServer,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('chromium', 'bubblewrap')('three windows on plain http', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let context: BrowserContext;
  let ann: Person;
  let origin: string;
  const windows: Page[] = [];

  beforeAll(async () => {
    // No https and no loopback address: browsers give such pages no locks and no shared workers.
    server = await startServer(processes, { PUBLIC_URL: `http://${otherHost}:{port}` });
    origin = server.url.replace('127.0.0.1', otherHost);
    ann = await server.createOwner();
    await connectDaemon(processes, {
      person: ann,
      url: server.url,
      flags: ['--permission-shell', 'ask'],
    });
    browser = await startBrowser();
    const first = await openPage(browser);
    context = first.context();
    await first.goto(`${origin}/sign-in`);
    await first.locator('[name=email]').fill(owner.email);
    await first.locator('[name=password]').fill(owner.password);
    await first.getByRole('button', { name: 'Sign in' }).click();
    await first.waitForURL(`${origin}/inbox`);
    windows.push(first);
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  const inEach = (look: (page: Page) => Promise<unknown>) => Promise.all(windows.map(look));

  it('load, and show the same question, the output of its command while it prints, and its end', async () => {
    expect(await windows[0]?.evaluate(() => isSecureContext)).toBe(false);
    const { requestId } = await run(ann, 'shell_execute', {
      command: 'echo begins; while [ ! -e stop ]; do sleep 0.1; done; echo ends',
    });
    windows.push(await context.newPage(), await context.newPage());
    await inEach((page) => page.goto(`${origin}/activity/${requestId}`));
    await inEach((page) => page.locator('[data-test=confirmation]').first().waitFor());
    await windows[2]?.locator('[data-decision=allowOnce]').first().click();
    await inEach((page) => page.locator('[data-test=output]').getByText('begins').waitFor());
    const facts = (page: Page) => page.locator('[data-test=call-facts]');
    await inEach((page) =>
      facts(page)
        .filter({ hasText: /Running · \d+ s/ })
        .waitFor(),
    );
    await inEach((page) => page.locator('[data-test=confirmation]').first().waitFor({ state: 'detached' }));
    // A window that is reloaded while all others are open gets its page too.
    await windows[1]?.reload();
    await windows[1]?.locator('[data-test=output]').getByText('begins').waitFor();
    await ann.api.calls.cancel.mutate({ requestId });
    await inEach((page) => page.locator('[data-test=outcome]').getByText('Stopped').waitFor());
  });

  it('copy a command without a clipboard of the page', async () => {
    const [page] = windows;
    if (page === undefined) throw new Error('no window');
    await follow(page, '/machines/new');
    const command = (await page.locator('[data-test=command]').innerText()).trim();
    await page.getByRole('button', { name: 'Copy command' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await follow(page, '/activity');
    const field = page.getByLabel('Search path, command, host');
    await field.press('Control+V');
    expect(await field.inputValue()).toBe(command.slice(0, 200));
  });
});
