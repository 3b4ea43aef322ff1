import { networkInterfaces } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createProcesses, openPage, startOwnBrowser, startServer, type Server } from './harness/index.ts';
import { describeWith } from './services.ts';

const lan = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

/** Names of another site, and where they lead once its page is open. */
const names: Record<string, string> = {
  'rebind.example': '127.0.0.1',
  ...(lan !== undefined && { 'lan.rebind.example': lan }),
};

const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

describeWith('chromium')('a page of another site, whose name leads to this server afterwards', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let page: Page;
  let token = '';

  beforeAll(async () => {
    server = await startServer(processes, { HOST: '0.0.0.0' });
    const ann = await server.createOwner();
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Desk' }));
    const rules = Object.entries(names).map(([name, address]) => `MAP ${name} ${address}`);
    browser = await startOwnBrowser({
      flags: [
        `--host-resolver-rules=${rules.join(',')}`,
        // What new browsers do against it themselves: others let the page through.
        '--disable-features=LocalNetworkAccessChecks',
      ],
    });
    page = await openPage(browser, { person: ann });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  it('a panel at that name says how to set PUBLIC_URL, and the server logs it once', async () => {
    const tab = await page.context().newPage();
    await tab.goto(`http://rebind.example:${new URL(server.url).port}/`);
    await tab.getByRole('heading', { name: 'The server refuses this page' }).waitFor();
    const alert = await tab.getByRole('alert').textContent();
    expect(alert).toContain('set PUBLIC_URL to it and restart the server');
    expect(await tab.getByRole('alert').getAttribute('data-code')).toBe('FOREIGN_ORIGIN');
    // The panel repeats its request every few seconds, and the button repeats it too.
    const again = tab.waitForResponse((response) => response.url().includes('/trpc/'));
    await tab.getByRole('button', { name: 'Try again' }).click();
    expect((await again).status()).toBe(403);
    await tab.close();
    const { output, says } = server.process();
    await says(/Refused a page/);
    expect(output().match(/Refused a page at another address/g)).toHaveLength(1);
  });

  it.each(Object.keys(names))('MC-03 reads and does nothing here, also with a token: %s', async (name) => {
    const origin = `http://${name}:${new URL(server.url).port}`;
    // What its own server answered before the name was led here.
    await page.route(`${origin}/`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<title>another site</title>' }),
    );
    await page.goto(`${origin}/`);
    const bearer = { authorization: `Bearer ${token}` };
    const json = { 'content-type': 'application/json' };
    const tries: [string, { method?: string; headers?: Record<string, string>; body?: string }][] = [
      ['/mcp', { method: 'POST', headers: { ...bearer, ...json }, body: JSON.stringify(rpc) }],
      ['/mcp', { headers: { ...bearer, accept: 'text/event-stream' } }],
      ['/api/v1/status', { headers: bearer }],
      [
        '/api/v1/calls',
        { method: 'POST', headers: { ...bearer, ...json }, body: '{"name":"read_file","arguments":{}}' },
      ],
      ['/trpc/setup.status', {}],
      ['/trpc/gateway.createLink', { method: 'POST', headers: json, body: '{}' }],
      ['/api/v1/instance-ai/gateway/create-link', { method: 'POST', headers: json, body: '{}' }],
    ];
    const got = await page.evaluate(
      (asked) =>
        Promise.all(
          asked.map(async ([path, init]) => {
            const response = await fetch(path, init);
            // The MCP door has a number of its own for it.
            const isForeign = /FOREIGN_ORIGIN|-32003/.test(await response.text());
            return [path, response.status, isForeign];
          }),
        ),
      tries,
    );
    expect(got).toEqual(tries.map(([path]) => [path, 403, true]));
  });
});
