import { createServer, type IncomingHttpHeaders, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  connectDaemon,
  createProcesses,
  openPage,
  owner,
  questionOf,
  run,
  startBrowser,
  startServer,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

/** A project's own server: it records the headers of its visitors. */
const startProject = async () => {
  const seen: IncomingHttpHeaders[] = [];
  const http: HttpServer = createServer((request, response) => {
    seen.push(request.headers);
    response.setHeader('content-type', 'text/html').end('<title>a project</title>');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  // A TCP server's address is never a string.
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, seen, stop: () => http.close() };
};

describeWith('chromium')('a program on another port of the host of the panel', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let page: Page;
  let ann: Person;
  let project: Awaited<ReturnType<typeof startProject>>;

  const signIn = async () => {
    await page.locator('[name=email]').fill(owner.email);
    await page.locator('[name=password]').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${server.url}/inbox`);
  };

  beforeAll(async () => {
    server = await startServer(processes);
    ann = await server.createOwner();
    await connectDaemon(processes, { person: ann, url: server.url });
    project = await startProject();
    browser = await startBrowser();
    page = await openPage(browser);
    await page.goto(`${server.url}/sign-in`);
    await signIn();
  });

  afterAll(async () => {
    project?.stop();
    await browser?.close();
    await processes.stopAll();
  });

  it('US-20 gets the cookie from the browser, and answers no question with it', async () => {
    const { requestId } = await run(ann, 'write_file', { filePath: 'new.txt', content: 'x' });
    const { id } = await questionOf(ann, requestId);
    const tab = await page.context().newPage();
    await tab.goto(project.url);
    expect(await tab.evaluate(() => localStorage.length)).toBe(0);
    const cookie = project.seen.find((headers) => headers.cookie !== undefined)?.cookie ?? '';
    expect(cookie).toMatch(/drawbridge-[0-9a-f]{8}\.session_token=/);

    // What the panel sends, but for what the project does not have.
    const forged = {
      cookie,
      origin: server.url,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    };
    const yes = { approved: true, resourceDecision: 'allowOnce' };
    const tries: [string, object | null][] = [
      ['/trpc/confirmations.decide', { confirmationId: id, ...yes }],
      [`/api/v1/instance-ai/confirm/${requestId}`, yes],
      [`/rest/instance-ai/confirm/${requestId}`, yes],
      ['/trpc/calls.list?input=%7B%7D', null],
      ['/trpc/live.onEvent', null],
      [`/trpc/live.onEvent?connectionParams=${encodeURIComponent('{"sessionProof":"x"}')}`, null],
      ['/trpc/gateway.createLink', {}],
      ['/trpc/tokens.create', { name: 'theirs' }],
      ['/api/auth/change-password', { currentPassword: owner.password, newPassword: 'a password of theirs' }],
      ['/api/auth/oauth2/consent', { accept: true, scopes: ['shell'], query: 'client_id=x', openedBy: 'x' }],
    ];
    for (const [path, body] of tries) {
      const response = await fetch(server.url + path, {
        method: body === null ? 'GET' : 'POST',
        headers: forged,
        ...(body && { body: JSON.stringify(body) }),
      });
      expect([path, await response.text()]).toEqual([path, expect.stringContaining('UNAUTHORIZED')]);
    }
    // Its page in the same browser fares no better.
    const byPage = await tab.evaluate(
      async (url) =>
        fetch(`${url}/trpc/calls.list?input=%7B%7D`, { credentials: 'include' }).then(
          () => 'read',
          () => 'refused',
        ),
      server.url,
    );
    expect(byPage).toBe('refused');
    await tab.close();
    expect((await questionOf(ann, requestId)).state).toBe('open');
    expect((await answer(ann, requestId, yes as { approved: boolean })).state).toBe('succeeded');
  });

  it('leaves the person where they are: after a reload, in a new tab, and by a link', async () => {
    await page.reload();
    await page.getByRole('link', { name: 'Activity' }).first().waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${server.url}/settings`);
    await tab.getByText(owner.email).filter({ visible: true }).first().waitFor();
    await tab.close();
  });

  it('a session that has no proof here signs in again, and signing out is seen in every window', async () => {
    const other = await page.context().newPage();
    await other.goto(`${server.url}/settings`);
    await other.getByText(owner.email).filter({ visible: true }).first().waitFor();
    await page.evaluate(() => localStorage.clear());
    await other.waitForURL(`${server.url}/sign-in`);
    await page.goto(`${server.url}/activity`);
    await page.waitForURL(`${server.url}/sign-in?next=/activity`);
    await page.locator('[name=email]').fill(owner.email);
    await page.locator('[name=password]').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${server.url}/activity`);
    await other.goto(`${server.url}/settings`);
    await other.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(`${server.url}/sign-in`);
  });
});
