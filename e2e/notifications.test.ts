import { createECDH, createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import Database from 'libsql';
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
  /** A short path: a notification shows it whole. */
  const root = mkdtempSync('/tmp/notes-');
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes, { root }));
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
    rmSync(root, { recursive: true });
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

  /** Clicks the notification that is shown, or one of its buttons, as the browser tells the worker. */
  const click = async (tag: string, action = '') => {
    const [worker] = context.serviceWorkers();
    await worker?.evaluate(
      async ([id, pressed]) => {
        // The worker's own globals, which the types of a page lack.
        const scope = globalThis as unknown as {
          registration: { getNotifications(of: { tag: string }): Promise<unknown[]> };
          dispatchEvent(event: unknown): void;
          NotificationEvent: new (type: string, given: { notification: unknown; action: string }) => unknown;
        };
        const [notification] = await scope.registration.getNotifications({ tag: id });
        scope.dispatchEvent(
          new scope.NotificationEvent('notificationclick', { notification, action: pressed }),
        );
      },
      [tag, action] as const,
    );
  };

  const shown = () =>
    page.evaluate(async () => {
      const worker = await navigator.serviceWorker.ready;
      return (await worker.getNotifications()).map((shown) => {
        // The library of types lacks the buttons.
        const { actions } = shown as unknown as { actions: { action: string }[] };
        const asked = shown.body === '' || actions.length === 0 ? {} : { body: shown.body };
        return {
          ...{ title: shown.title, tag: shown.tag, ...asked },
          ...(actions.length > 0 && { actions: actions.map(({ action }) => action) }),
        };
      });
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
    await click(id);
    await page.waitForURL(`${server.url}/inbox/${id}`);
    await page.locator('[data-decision=allowOnce]').first().tap();
    expect(await result).toContain('a.txt');
    expect(readFileSync(join(daemon.root, 'a.txt'), 'utf8')).toBe('by push');
    await until(async () => (await shown()).length === 0);
  });

  /** Lets the page and its worker find a subscription: no push service is reached from here. */
  const subscribe = async (endpoint: string) => {
    const stub = (address: string) => {
      PushManager.prototype.getSubscription = async () =>
        ({ endpoint: address, toJSON: () => ({}) }) as unknown as PushSubscription;
    };
    await page.addInitScript(stub, endpoint);
    await context.serviceWorkers()[0]?.evaluate(stub, endpoint);
    const keys = createECDH('prime256v1');
    const p256dh = keys.generateKeys('base64url');
    const body = JSON.stringify({ endpoint, keys: { p256dh, auth: 'A'.repeat(22) } });
    const headers = { 'content-type': 'application/json' };
    expect((await ann.fetch('/webchat/push/subscriptions', { method: 'POST', headers, body })).status).toBe(
      200,
    );
    const { id = '' } = (await ann.api.account.me.query()) ?? {};
    await page.evaluate((owner) => localStorage.setItem('drawbridge-notifications', owner), id);
  };

  /** Writes the digest of a known token to what the server has stored of the question of that id. */
  const knowToken = (id: string, token: string) => {
    const store = new Database(join(server.dataDir, 'drawbridge.db'), { timeout: 10_000 });
    const digest = createHash('sha256').update(token).digest('base64url');
    // Sent longer ago than a person needs to read.
    const { changes } = store
      .prepare('update pushAnswers set tokenDigest = ?, sentAt = sentAt - 1000 where askId = ?')
      .run(digest, id);
    store.close();
    return changes === 1;
  };

  /** A new call that asks, and its notification with buttons. */
  const askOnDevice = async (filePath: string, token: string) => {
    const result = callThroughMcp('write_file', { filePath, content: 'by button' });
    const { id } = await until(async () => (await ann.api.confirmations.list.query())[0]);
    await until(() => Promise.resolve(knowToken(id, token)));
    const ask = { text: `Write ${filePath}`, token, offers: ['allow', 'deny'] };
    await deliver({ id, title: 'A question waits on desk', path: `/inbox/${id}`, ask });
    await until(async () => (await shown()).some(({ tag }) => tag === id));
    return { id, result, ask };
  };
  const titleOf = async (id: string) => (await shown()).find(({ tag }) => tag === id)?.title;

  it('CF-33 a button on a notification answers its question, once; without the proof it opens the panel', async () => {
    // No address has that name.
    await subscribe('https://none.push.services.mozilla.com/wpush/v2/e2e');
    await page.goto(`${server.url}/settings/notifications`);
    const pick = (card: string) => page.locator(`[data-test=${card}] select`).first();
    await pick('most-answers').selectOption('once');
    await pick('device-answers').selectOption('once');
    await until(async () => {
      const { answers } = await ann.api.notifications.device.query({
        endpoint: 'https://none.push.services.mozilla.com/wpush/v2/e2e',
      });
      return answers === 'once';
    });

    const first = await askOnDevice('b.txt', 'a'.repeat(22));
    expect(await shown()).toContainEqual({
      title: 'A question waits on desk',
      tag: first.id,
      body: 'Write b.txt',
      actions: ['allow', 'deny'],
    });
    await click(first.id, 'allow');
    await until(async () => (await titleOf(first.id)) === 'Allowed once');
    expect(await first.result).toContain('b.txt');
    expect(readFileSync(join(daemon.root, 'b.txt'), 'utf8')).toBe('by button');
    expect(new URL(page.url()).pathname).toBe('/settings/notifications');

    const second = await askOnDevice('c.txt', 'b'.repeat(22));
    await click(second.id, 'deny');
    await until(async () => (await titleOf(second.id)) === 'Denied');
    expect(await second.result).not.toContain('by button');

    const third = await askOnDevice('d.txt', 'c'.repeat(22));
    await page.evaluate(() => caches.delete('answers'));
    await click(third.id, 'allow');
    await page.waitForURL(`${server.url}/inbox/${third.id}`);
    await until(async () => (await titleOf(third.id))?.startsWith('This device answers nothing') === true);
    expect(await ann.api.confirmations.list.query()).toHaveLength(1);

    // The proof of a session that has ended: the device keeps nothing to answer with.
    const kept = await page.evaluate(async (header) => {
      const cache = await caches.open('answers');
      await cache.put('/answer-headers', Response.json({ [header]: 'of-another-session' }));
      return cache.keys().then((all) => all.length);
    }, sessionProofHeader);
    expect(kept).toBe(1);
    await deliver({ id: third.id, title: 'Again', path: `/inbox/${third.id}`, ask: third.ask });
    await until(async () => (await titleOf(third.id)) === 'Again');
    await click(third.id, 'allow');
    await until(async () => (await titleOf(third.id))?.startsWith('You are signed out') === true);
    expect(
      await page.evaluate(async () => (await caches.open('answers')).keys().then((all) => all.length)),
    ).toBe(0);
    expect(await ann.api.confirmations.list.query()).toHaveLength(1);
    await ann.api.confirmations.decide.mutate({ confirmationId: third.id, approved: false });
    await third.result;
    await page.goto(`${server.url}/inbox/${second.id}`);
    await page.getByText('Denied, from a notification').waitFor();
    await page.getByRole('link', { name: 'Open the call' }).click();
    await page.locator('[data-test=steps]').getByText('Denied by you, from a notification').waitFor();
  });

  it('CF-33 a notification that names a page elsewhere opens nothing', async () => {
    await page.evaluate(() => {
      const paths: string[] = [];
      navigator.serviceWorker.addEventListener('message', ({ data }) => {
        paths.push((data as { path: string }).path);
        document.body.dataset.asked = paths.join(' ');
      });
    });
    const elsewhere = ['https://elsewhere.example/inbox', '//elsewhere.example', 'javascript:alert(1)'];
    for (const [n, path] of [...elsewhere, '/activity'].entries()) {
      await deliver({ id: `n${n}`, title: 'A question waits', path });
      await until(async () => (await titleOf(`n${n}`)) !== undefined);
      await click(`n${n}`);
    }
    await page.waitForURL(`${server.url}/activity`);
    expect(await page.locator('body').getAttribute('data-asked')).toMatch(/^(\/inbox\/\S+ )?\/activity$/);
    expect(context.pages()).toHaveLength(1);
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
