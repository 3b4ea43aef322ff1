import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolScopes } from '@drawbridge/contracts/groups';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectDaemon,
  createPerson,
  createProcesses,
  ended,
  openPage,
  owner,
  setupToken,
  startBrowser,
  startServer,
  until,
  type Daemon,
  type Person,
  type Processes,
  type Server,
} from '../harness/index.ts';
import { startServers } from '../cluster/cluster.ts';
import { describeWith } from '../services.ts';
import { connectAiSdk } from './ai-sdk.ts';
import type { Connect, ConnectedClient, Outcome } from './client.ts';
import { connectInspector } from './inspector.ts';
import { connectMcpRemote, connectSdk2025 } from './sdk-2025.ts';
import { connectSdk2026 } from './sdk-2026.ts';

/** Long enough to click in a browser on a slow machine, short enough to be waited for. */
const waitMs = 12_000;

/** What the clients reach. */
interface Place {
  url: string;
  owner: Person;
  /** Ends every server and starts it again, one after the other. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const environment = { MCP_WAIT_MS: String(waitMs) };

const startOne = async (processes: Processes): Promise<Place> => {
  const server = await startServer(processes, environment);
  return {
    url: server.url,
    owner: await server.createOwner(),
    restart: () => restartAll([server]),
    stop: () => processes.stopAll(),
  };
};

const startThree = async (processes: Processes): Promise<Place> => {
  const cluster = await startServers({ env: environment, isRoundRobin: true });
  const person = createPerson(cluster.url);
  await person.api.setup.createOwner.mutate({ setupToken, ...owner });
  return {
    url: cluster.url,
    owner: person,
    restart: () => restartAll(cluster.servers),
    stop: async () => {
      await processes.stopAll();
      await cluster.stop();
    },
  };
};

const restartAll = async (servers: readonly Server[]): Promise<void> => {
  for (const server of servers) {
    await server.end('SIGTERM');
    await server.restart();
  }
};

const clientsAt =
  (start: (processes: Processes) => Promise<Place>, leftOut: readonly string[] = []) =>
  () => {
    const processes = createProcesses();
    const all: [name: string, connect: Connect][] = [
      ['SDK, revision 2026-07-28', connectSdk2026],
      ['SDK, revision 2025-11-25', connectSdk2025],
      ['mcp-remote', connectMcpRemote],
      ['AI SDK', connectAiSdk],
      ['inspector', connectInspector(processes)],
    ];
    const kinds = all.filter(([name]) => !leftOut.includes(name));
    const clients = new Map<string, ConnectedClient>();
    let place: Place;
    let ann: Person;
    let daemon: Daemon;
    let browser: Browser;
    let page: Page;
    /** Calls that are answered after their client got a waiting answer, by the client's name. */
    const late = new Map<string, Promise<Outcome>>();

    const client = (name: string): ConnectedClient => {
      const found = clients.get(name);
      if (!found) throw new Error(`${name} is not connected`);
      return found;
    };
    const fileOf = (name: string, what: string) => `${what}-${name.replaceAll(/\W+/g, '-')}.txt`;
    const written = (path: string) => join(daemon.root, path);

    /** The open question about a file, as the panel shows it. */
    const card = (path: string) => page.locator('[data-test=confirmation]').filter({ hasText: path });
    const row = (path: string) => page.locator('[data-test=row]').filter({ hasText: path });
    /** Opens a question: three and more of one folder wait in one row. */
    const open = async (path: string) => {
      const together = page.locator('[data-test=row]').filter({ hasText: /Write \d+ files/ });
      await row(path).or(together).first().click();
      const alone = page.getByRole('link', { name: new RegExp(`^Answer separately: .*${path}`) });
      await card(path).or(alone).first().waitFor();
      if (await alone.isVisible()) await alone.click();
      await card(path).waitFor();
    };
    const allowOnce = async (path: string) => {
      await open(path);
      // Clicks once the button has woken.
      await card(path).locator('[data-decision=allowOnce]').click();
      await card(path).waitFor({ state: 'detached' });
    };

    beforeAll(async () => {
      place = await start(processes);
      ann = place.owner;
      daemon = await connectDaemon(processes, { person: ann, url: place.url });
      writeFileSync(written('notes.txt'), 'what the clients read');
      const { token } = await ann.api.tokens.create.mutate({ name: 'Clients', scopes: [...toolScopes] });
      for (const [name, connect] of kinds)
        clients.set(name, await connect({ url: `${place.url}/mcp`, token }));
      browser = await startBrowser();
      page = await openPage(browser, { person: ann });
      await page.goto(place.url);
    });

    afterAll(async () => {
      for (const one of clients.values()) await one.close().catch(() => {});
      await browser?.close();
      await place?.stop();
    });

    describe.each(kinds)('%s', (name) => {
      it('lists the tools', async () => {
        expect(await client(name).tools()).toEqual(
          expect.arrayContaining(['read_file', 'write_file', 'call_result']),
        );
      });

      it('reads a file', async () => {
        const { text, isError } = await client(name).call('read_file', { filePath: 'notes.txt' });
        expect([text.includes('what the clients read'), isError]).toEqual([true, false]);
      });

      it('writes a file once the person has allowed it in the browser, while the client waits', async () => {
        const path = fileOf(name, 'while-it-waits');
        const writing = client(name).call('write_file', { filePath: path, content: 'allowed' });
        await row(path).waitFor();
        expect(existsSync(written(path))).toBe(false);
        await allowOnce(path);
        expect(await writing).toMatchObject({ isError: false });
        expect(readFileSync(written(path), 'utf8')).toBe('allowed');
      });

      it('takes a call back: the question goes, and nothing is written', async () => {
        const path = fileOf(name, 'taken-back');
        const leaving = new AbortController();
        const writing = client(name).call('write_file', { filePath: path, content: 'no' }, leaving.signal);
        await open(path);
        leaving.abort();
        await expect(writing).rejects.toThrow();
        await card(path).waitFor({ state: 'detached' });
        const { calls } = await ann.api.calls.list.query({});
        const call = await ended(ann, calls[0]?.requestId ?? '');
        expect([call.state, existsSync(written(path))]).toEqual(['cancelled', false]);
      });
    });

    describe('an answer after the client got a waiting answer', () => {
      beforeAll(() => {
        for (const [name] of kinds)
          late.set(
            name,
            client(name).call('write_file', { filePath: fileOf(name, 'late'), content: 'late' }),
          );
      });

      it.each(kinds)('%s', async (name) => {
        const path = fileOf(name, 'late');
        const waiting = await late.get(name);
        expect([waiting?.isError, existsSync(written(path))]).toEqual([false, false]);
        const [, requestId = ''] = /call_result and the requestId ([\w-]+)/.exec(waiting?.text ?? '') ?? [];
        const outcome = client(name).call('call_result', { requestId });
        await allowOnce(path);
        expect(await outcome).toMatchObject({ isError: false });
        expect(readFileSync(written(path), 'utf8')).toBe('late');
      });
    });

    describe('after a restart of the server', () => {
      beforeAll(async () => {
        await place.restart();
        await until(async () => (await ann.api.gateway.status.query()).state === 'online');
      });

      it.each(kinds)('%s reads again', async (name) => {
        const { text } = await client(name).call('read_file', { filePath: 'notes.txt' });
        expect(text).toContain('what the clients read');
      });
    });
  };

describeWith('chromium')(
  'real MCP clients, with a real machine and a person at the panel',
  clientsAt(startOne),
);
describeWith(
  'chromium',
  'postgresql',
  'redis',
  'haproxy',
)(
  'the same at three servers behind HAProxy, which takes them in turn',
  // Both are made of the SDK.
  clientsAt(startThree, ['mcp-remote', 'inspector']),
);
