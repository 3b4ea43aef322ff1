import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  openPage,
  postMcp,
  startOwnBrowser,
  startMachine,
  until,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

describeWith('chromium')('the service worker of the panel', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    browser = await startOwnBrowser({ full: true });
    page = await openPage(browser, {
      person: ann,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      serviceWorkers: 'allow',
    });
    context = page.context();
    await context.grantPermissions(['notifications'], { origin: server.url });
    await page.goto(`${server.url}/settings/notifications`);
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  /** Hands a message to the worker, as the browser does after it has decrypted a push. */
  const deliver = async (message: object) => {
    const session = await context.newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [first] = registrations;
        if (first) resolve(first.registrationId);
      });
    });
    await session.send('ServiceWorker.enable');
    const data = JSON.stringify(message);
    const where = { origin: server.url, registrationId: await registered };
    await session.send('ServiceWorker.deliverPushMessage', { ...where, data });
    await session.detach();
  };

  const shown = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.ready;
      return (await worker.getNotifications()).map(({ title, tag }) => ({ title, tag }));
    });

  /** The text that an MCP client gets, which waits until the person has answered. */
  const callThroughMcp = async (name: string, args: object): Promise<string> => {
    const { token } = await ann.api.tokens.create.mutate({ name: 'Agent', scopes: ['filesystemWrite'] });
    const response = await postMcp(server.url, {
      token,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    return response.text();
  };

  it('on a phone a tap on a push opens the question, and its answer reaches the MCP client that waits', async () => {
    const result = callThroughMcp('write_file', { filePath: 'a.txt', content: 'by push' });
    const { id } = await until(async () => (await ann.api.confirmations.list.query())[0]);
    await deliver({ id, title: 'A question waits on desk', path: `/inbox/${id}` });
    await until(async () => (await shown()).length > 0);
    expect(await shown()).toContainEqual({ title: 'A question waits on desk', tag: id });
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(async () => {
      // The worker's own globals, which the types of a page lack.
      const scope = globalThis as unknown as {
        registration: { getNotifications(): Promise<unknown[]> };
        dispatchEvent(event: unknown): void;
        NotificationEvent: new (type: string, given: { notification: unknown }) => unknown;
      };
      const [notification] = await scope.registration.getNotifications();
      scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
    });
    await page.waitForURL(`${server.url}/inbox/${id}`);
    await page.locator('[data-decision=allowOnce]').first().tap();
    expect(await result).toContain('a.txt');
    expect(readFileSync(join(daemon.root, 'a.txt'), 'utf8')).toBe('by push');
    await until(async () => (await shown()).length === 0);
  });

  it('keeps the shell: a reload while the server is away says so, and the panel comes back with it', async () => {
    await page.goto(`${server.url}/settings/notifications`);
    await server.end('SIGKILL');
    await page.reload();
    await page.getByText('The server does not respond').first().waitFor();
    await server.restart();
    await page.locator('[data-test=device-state]').waitFor();
    expect(new URL(page.url()).pathname).toBe('/settings/notifications');
  });

  it('can be installed', async () => {
    const session = await context.newCDPSession(page);
    const { errors } = await session.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
    expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito')).toEqual(
      [],
    );
  });
});
