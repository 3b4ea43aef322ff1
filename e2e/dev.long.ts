import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { pnpmCommand } from '../tools/run/pnpm.mjs';
import {
  createPerson,
  createProcesses,
  freePort,
  fromRoot,
  newFolder,
  openPage,
  startBrowser,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const processes = createProcesses();
afterAll(() => processes.stopAll());

const notCopied = new Set(['.git', '.dev', '.turbo', 'data']);

/** A checkout of its own. Its files are links to the same data, so what changes is replaced, never written in place. */
const copyCheckout = (): string => {
  const copy = newFolder('checkout');
  const names = readdirSync(fromRoot('')).filter((name) => !notCopied.has(name));
  try {
    execFileSync('cp', ['-al', ...names, copy], { cwd: fromRoot('') });
  } catch {
    execFileSync('cp', ['-a', ...names, copy], { cwd: fromRoot('') });
  }
  return copy;
};

/** Replaces a text in one file. */
const edit = (path: string, from: string, to: string) => {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(`${path}.new`, text.replace(from, to));
  renameSync(`${path}.new`, path);
};

const soon = { timeout: 60_000, interval: 200 };

describeWith('chromium')('pnpm dev', () => {
  it('is one command: a page, a door and a tool that are edited are seen, and Ctrl-C ends all', async () => {
    const copy = copyCheckout();
    const port = String(await freePort());
    const [command = '', ...args] = pnpmCommand();
    const dev = processes.start({
      command,
      args: [...args, 'dev'],
      cwd: copy,
      // pnpm's own: its store is there.
      env: { PORT: port, HOME: process.env['HOME'] ?? '' },
    });
    const [, address = '', email = '', password = ''] = await dev.says(
      /Drawbridge in development is at (\S+)\nSign in as (\S+) with the password (\S+)/,
    );
    // What pnpm prints of itself stands before.
    const lines = dev.output().trim().split('\n').slice(4);
    // The server may see files of the copy that were written just before it started.
    const own = lines.filter((line) => line !== '' && !line.includes("Restarting '"));
    expect(own.join('|')).toMatch(/^Drawbridge[^|]+\|Sign in as[^|]+$/);
    expect(address).toBe(`http://127.0.0.1:${port}`);

    const person = createPerson(address);
    await person.signIn({ name: '', email, password });
    const describedAs = async () =>
      (await person.api.gateway.tools.query()).find(({ name }) => name === 'read_file')?.description;
    await vi.waitFor(async () => expect(await describedAs()).toMatch(/^Read a text/), soon);
    expect(await person.api.gateway.status.query()).toMatchObject({ directory: join(copy, '.dev/shared') });

    const browser = await startBrowser();
    const page = await openPage(browser);
    await page.goto(`${address}/sign-in`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    edit(join(copy, 'apps/web/src/pages/sign-in-page.vue'), 'title="Sign in"', 'title="Sign in again"');
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();

    edit(join(copy, 'apps/server/src/doors/rest/route.ts'), "title: 'Drawbridge'", "title: 'Raised bridge'");
    const document = async () => (await fetch(`${address}/api/v1/openapi.json`)).json();
    await vi.waitFor(
      async () => expect(await document()).toMatchObject({ info: { title: 'Raised bridge' } }),
      soon,
    );

    edit(join(copy, 'apps/daemon/src/tools/filesystem/read-file.ts'), "'Read a text", "'Quickly read a text");
    await vi.waitFor(async () => expect(await describedAs()).toMatch(/^Quickly read/), soon);

    await browser.close();
    process.kill(-dev.pid, 'SIGINT');
    // Where all of it has ended before pnpm sees the key, pnpm ends by it.
    const byKey = { code: null, signal: 'SIGINT' };
    expect([{ code: 0, signal: null }, byKey]).toContainEqual(await dev.exit);
    await expect(fetch(`${address}/health`)).rejects.toThrow('fetch failed');
    expect(existsSync(join(copy, '.dev/server/drawbridge.db'))).toBe(true);
  });
});
