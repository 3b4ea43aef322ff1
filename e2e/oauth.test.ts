import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  follow,
  openPage,
  owner,
  startBrowser,
  startMachine,
  type Daemon,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

/** The state of a client on the user's machine, and the address at which it waits for the redirect. */
const createAgent = async () => {
  let settle: (url: URL) => void = () => {};
  let answered = new Promise<URL>((resolve) => (settle = resolve));
  const http: HttpServer = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    // A browser asks for an icon, too.
    if (url.pathname === '/callback') settle(url);
    response.end('You can close this page.');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const bound = http.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const kept: {
    client?: Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0];
    tokens?: Parameters<OAuthClientProvider['saveTokens']>[0];
    verifier?: string;
    page?: URL;
  } = {};
  const state = randomBytes(16).toString('hex');
  const redirectUrl = `http://127.0.0.1:${port}/callback`;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'Notes agent', redirect_uris: [redirectUrl] },
    state: () => state,
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    invalidateCredentials: () => void delete kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.page = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
  };
  return {
    provider,
    kept,
    state,
    close: () => http.close(),
    /** The next answer that a browser brings. */
    answer: async () => {
      const got = await answered;
      answered = new Promise<URL>((resolve) => (settle = resolve));
      return got.searchParams;
    },
  };
};

describeWith('chromium')('a client that connects by OAuth, in a browser', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let page: Page;
  let daemon: Daemon;
  let agent: Awaited<ReturnType<typeof createAgent>>;

  beforeAll(async () => {
    ({ server, daemon } = await startMachine(processes));
    writeFileSync(join(daemon.root, 'notes.txt'), 'a line for the agent');
    browser = await startBrowser();
    page = await openPage(browser);
    agent = await createAgent();
  });

  afterAll(async () => {
    agent?.close();
    await browser?.close();
    await processes.stopAll();
  });

  const transport = () =>
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { authProvider: agent.provider });
  const connect = async () => {
    const client = new Client({ name: 'notes', version: '1' });
    await client.connect(transport());
    return client;
  };
  /** Starts from nothing; gives the transport that waits for the code. */
  const begin = async () => {
    const waiting = transport();
    const client = new Client({ name: 'notes', version: '1' });
    await expect(client.connect(waiting)).rejects.toThrow(UnauthorizedError);
    return waiting;
  };

  it('is sent to the panel, where the person signs in and sees who asks, and goes home with a no', async () => {
    const waiting = await begin();
    await page.goto(agent.kept.page?.href ?? '');
    await page.getByLabel('E-mail').fill(owner.email);
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('[data-test=client-name]').getByText('Notes agent').waitFor();
    await page.getByText('(a program on this computer)').waitFor();
    const ticked = page.getByRole('checkbox', { checked: true });
    expect([await page.getByRole('checkbox').count(), await ticked.count()]).toEqual([8, 1]);
    await page.getByRole('button', { name: 'Deny' }).click();
    const answer = await agent.answer();
    await page.getByText('You can close this page.').waitFor();
    expect([answer.get('error'), answer.get('state'), answer.get('code')]).toEqual([
      'access_denied',
      agent.state,
      null,
    ]);
    await waiting.close();
  });

  it('is connected with a yes, and uses what was ticked and nothing else', async () => {
    const waiting = await begin();
    await page.goto(agent.kept.page?.href ?? '');
    await page.getByRole('checkbox', { name: 'Change files' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    const answer = await agent.answer();
    await page.getByText('You can close this page.').waitFor();
    expect(answer.get('state')).toBe(agent.state);
    await waiting.finishAuth(answer);
    const client = await connect();
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toContain('write_file');
    expect(names).not.toContain('shell_execute');
    const read = await client.callTool({ name: 'read_file', arguments: { filePath: 'notes.txt' } });
    expect(JSON.stringify(read)).toContain('a line for the agent');
    await client.close();
  });

  it('comes again with a fresh token when its own has run out', async () => {
    const { tokens } = agent.kept;
    if (!tokens) throw new Error('no tokens');
    agent.kept.tokens = { ...tokens, access_token: 'dbo_run-out' };
    const client = await connect();
    expect((await client.listTools()).tools.length).toBeGreaterThan(1);
    expect(agent.kept.tokens.refresh_token).not.toBe(tokens.refresh_token);
    await client.close();
  });

  it('stays connected when the user signs out of the panel', async () => {
    await page.goto(`${server.url}/settings`);
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('E-mail').fill(owner.email);
    const { access_token } = agent.kept.tokens ?? {};
    const client = await connect();
    expect((await client.listTools()).tools.length).toBeGreaterThan(1);
    expect(agent.kept.tokens?.access_token).toBe(access_token);
    await client.close();
    await page.getByLabel('Password').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Online').first().waitFor();
  });

  it('is listed, named in Activity, and out at once when it is revoked', async () => {
    await page.goto(`${server.url}/activity`);
    await page.locator('[data-test=call]').first().getByText('Notes agent').waitFor();
    await follow(page, '/agents');
    const row = page.locator('[data-test=client-row]');
    await row.getByText('just now').waitFor();
    await row.getByRole('link', { name: 'Notes agent' }).click();
    await page.getByText('from 127.0.0.1').waitFor();
    await follow(page, '/agents');
    await row.getByText('Read files, Change files').waitFor();
    await page.getByRole('button', { name: 'Revoke Notes agent' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('No agents yet').waitFor();
    await (await begin()).close();
  });

  it('gets an explanation for an invalid request', async () => {
    const asked = agent.kept.page ?? new URL(server.url);
    asked.searchParams.set('redirect_uri', 'https://evil.example/');
    await page.goto(asked.href);
    await page.getByText('This client cannot be connected').waitFor();
    await page.getByText('an address that is not registered for it').waitFor();
  });
});
