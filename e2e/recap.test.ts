import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Call } from '@drawbridge/contracts/calls';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  createProcesses,
  daemonEntry,
  ended,
  openPage,
  startBrowser,
  startMachine,
  until,
  widthFaults,
  type Daemon,
  type Person,
  type Server,
  axeFaultsInThemes,
} from './harness/index.ts';
import { describeWith } from './services.ts';

const hourMs = 3_600_000;
const scopes = ['filesystemRead', 'filesystemWrite', 'shell'] as const;

describeWith('chromium', 'bubblewrap')('what happened since the last visit', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let page: Page;
  const tokens = { 'Claude Code': '', Nightly: '' };

  /** The call as the agent makes it; waits for its end, or only until it is there. */
  const call = async (by: keyof typeof tokens, name: string, args: object, prefer = 'wait=50') => {
    const response = await fetch(`${server.url}/api/v1/calls`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens[by]}`,
        'content-type': 'application/json',
        prefer,
      },
      body: JSON.stringify({ name, arguments: args }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Call;
  };
  const times = async (count: number, make: () => Promise<unknown>) => {
    for (let one = 0; one < count; one += 10)
      await Promise.all(Array.from({ length: Math.min(10, count - one) }, make));
  };
  const asked = async (name: string, args: object, how: Parameters<typeof answer>[2]) => {
    const { requestId } = await call('Claude Code', name, args, 'respond-async');
    await answer(ann, requestId, how);
    await ended(ann, requestId);
  };
  const once = { approved: true, resourceDecision: 'allowOnce' } as const;

  /** Runs the command that the panel shows, in a shell of the machine. */
  const runWritten = (written: string) => {
    expect(written).toMatch(/^drawbridge /);
    execFileSync('sh', ['-c', `"$NODE" "$PROGRAM" ${written.slice('drawbridge '.length)}`], {
      env: { ...process.env, HOME: daemon.home, NODE: process.execPath, PROGRAM: daemonEntry },
      encoding: 'utf8',
    });
  };

  /** 400 calls. */
  const playNight = async () => {
    const command = ['shell_execute', { command: 'echo night' }] as const;
    await times(294, () => call('Claude Code', 'list_files', { dirPath: '.' }));
    await times(3, () => call('Claude Code', 'read_file', { filePath: 'none.txt' }));
    await asked(...command, { approved: true, resourceDecision: 'alwaysAllow' });
    await times(40, () => call('Claude Code', ...command));
    for (let one = 0; one < 3; one += 1) await asked('shell_execute', { command: 'echo often' }, once);
    for (let one = 0; one < 5; one += 1)
      await asked('write_file', { filePath: `post-${one}.txt`, content: 'new\n' }, once);
    const edit = { filePath: 'plan.txt' };
    await asked('write_file', { ...edit, content: 'one\ntwo\nthree\n' }, once);
    await asked('edit_file', { ...edit, oldString: 'two', newString: '2' }, once);
    writeFileSync(join(daemon.root, 'plan.txt'), 'zero\none\n2\nthree\n');
    await asked('edit_file', { ...edit, oldString: 'three', newString: '3' }, once);
    await asked('write_file', { filePath: 'post-9.txt', content: 'new\n' }, { approved: false });
    await times(2, () => call('Nightly', 'list_files', { dirPath: '.' }));
    await times(48, () => call('Nightly', 'read_file', { filePath: 'none.txt' }));
  };

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes, { flags: ['--permission-shell', 'ask'] }));
    for (const name of ['Claude Code', 'Nightly'] as const)
      tokens[name] = (await ann.api.tokens.create.mutate({ name, scopes: [...scopes] })).token;
    browser = await startBrowser();
    page = await openPage(browser, { person: ann });
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  const recap = (of = page) => of.locator('[data-test=recap]');
  const words = async (at: number) =>
    (await recap().locator('[data-test=recap-row]').nth(at).innerText()).replaceAll(/\s+/g, ' ');

  it('is empty at the first visit', async () => {
    const opened = page.waitForResponse(/calls\.recap/);
    await page.goto(`${server.url}/inbox`);
    expect(await (await opened).text()).toContain('null');
    await page.getByText('Nothing waits for you').waitFor();
    expect(await recap().count()).toBe(0);
  });

  it('has the numbers of a night of 400 calls, with a link to the calls of each', async () => {
    await playNight();
    // The person was here ten hours ago.
    const store = new Database(join(server.dataDir, 'drawbridge.db'));
    store.exec(`update visits set "visitedAt" = "visitedAt" - ${10 * hourMs}`);
    store.close();
    await page.goto(`${server.url}/inbox`);
    await recap().getByText('400 calls').waitFor();
    expect(await words(0)).toMatch(
      /^Claude Code on \S+ 350 calls 13 asked 40 by rule 1 denied 3 failed 44 commands$/,
    );
    expect(await words(1)).toMatch(/^Nightly on \S+ 50 calls 48 failed$/);
    const numbers = [
      '400 calls',
      '350 calls',
      '13 asked',
      '40 by rule',
      '1 denied',
      '3 failed',
      '44 commands',
    ];
    for (const text of [...numbers, '48 failed']) {
      await recap().getByRole('link', { name: text, exact: true }).first().press('Enter');
      const count = text.split(' ')[0] ?? '';
      await page
        .locator('[data-test=total]')
        .getByText(new RegExp(`^${count} calls?`))
        .waitFor();
      await page.goBack();
    }
  });

  it('CF-31 has one merged diff for each file that calls changed, once the person asks for it', async () => {
    const files = recap().locator('[data-test=changed-file]');
    expect(await files.count()).toBe(0);
    await recap().getByRole('button', { name: 'Show changed files' }).press('Enter');
    await files.first().waitFor();
    expect((await files.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))).toEqual([
      expect.stringMatching(/^plan\.txt on \S+ · 3 calls$/),
      ...[4, 3, 2, 1, 0].map((at) =>
        expect.stringMatching(new RegExp(`^post-${at}\\.txt on \\S+ · 1 call$`)),
      ),
    ]);
    const plan = files.first();
    await plan.locator('summary').press('Enter');
    await plan.locator('figure').first().waitFor();
    const rowsOf = async (at: number) =>
      (await plan.locator('[data-test=change]').nth(at).locator('[data-row]').allInnerTexts()).map((text) =>
        text.replaceAll(/\s+/g, ' ').trim(),
      );
    // The file was made, and changed by a call: one diff. Then something else changed it, and a call again.
    expect(await plan.locator('[data-test=change]').count()).toBe(2);
    expect(await rowsOf(0)).toEqual(['1 + added: one', '2 + added: 2', '3 + added: three']);
    expect(await rowsOf(1)).toEqual(['1 zero', '2 one', '3 2', '4 − removed: three', '4 + added: 3']);
    await plan.getByText('Not merged: something else changed the file between the two.').waitFor();
    await plan.getByRole('link').first().press('Enter');
    await page.getByRole('heading', { name: 'Wrote plan.txt' }).waitFor();
    await page.goBack();
    await recap().getByRole('button', { name: 'Show changed files' }).waitFor();
  });

  it('is one column with the heading above it', async () => {
    const heading = page.getByRole('heading', { name: 'Nothing waits for you' });
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const [above, card] = await Promise.all([heading.boundingBox(), recap().boundingBox()]);
      expect([width, card?.x, card?.width]).toEqual([width, above?.x, above?.width]);
    }
  });

  it('axe finds no fault in it in both themes, also with a merged diff open, and nothing of it is wider than a phone', async () => {
    await recap().locator('[data-test=repeated]').first().waitFor();
    await recap().getByRole('button', { name: 'Show changed files' }).press('Enter');
    const plan = recap().locator('[data-test=changed-file]').first();
    await plan.locator('summary').press('Enter');
    await plan.locator('figure').first().waitFor();
    expect(await axeFaultsInThemes(page)).toEqual([]);
    expect(await widthFaults(page)).toEqual([]);
    await recap().getByRole('button', { name: 'Seen' }).waitFor();
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('CF-30 offers the rule that would have answered three questions, as the command that makes exactly it', async () => {
    const row = recap().locator('[data-test=repeated]').filter({ hasText: 'echo often' });
    await row.waitFor();
    expect(await recap().locator('[data-test=repeated]').count()).toBe(2);
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /^You allowed echo often 3 times on \S+ in 30 days: always\? A rule for exactly this command in \S+, for all agents, would have answered 3 questions/,
    );
    await row.locator('summary').press('Enter');
    await row.getByRole('link').first().waitFor();
    expect(await row.getByRole('link').count()).toBe(3);
    runWritten(await row.locator('code').last().innerText());
    const rulings = async (command: string) =>
      (
        await call('Claude Code', 'shell_execute', { command }, 'respond-async').then(({ requestId }) =>
          until(async () => {
            const now = await ann.api.calls.get.query({ requestId });
            return now.ruling !== null && now;
          }),
        )
      ).ruling;
    expect([await rulings('echo often'), await rulings('echo often ')]).toEqual(['rule', 'asked']);
    const list = page.waitForResponse(/rules\.list/);
    await page.goto(`${server.url}/inbox/recap`);
    await list;
    await until(async () => (await row.count()) === 0);
  });

  it('CF-30 offers a rule for a file, which a link in its place makes for nothing', async () => {
    await page.goto(`${server.url}/inbox/recap`);
    const row = recap().locator('[data-test=repeated]').filter({ hasText: 'plan.txt' });
    await row.waitFor();
    expect((await row.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /^You allowed a change of \S+plan\.txt 3 times on \S+ in 30 days: always\? A rule to change or delete exactly this file, for all agents, would have answered 3 questions/,
    );
    const written = await row.locator('code').last().innerText();
    const plan = join(daemon.root, 'plan.txt');
    const secret = join(daemon.root, 'secret.txt');
    const rules = () => readFileSync(join(daemon.home, '.drawbridge/settings.json'), 'utf8');
    const before = rules();
    renameSync(plan, secret);
    symlinkSync(secret, plan);
    expect(() => runWritten(written)).toThrow('leads to');
    expect(rules()).toBe(before);
    renameSync(secret, plan);
    runWritten(written);
    const { requestId } = await call(
      'Nightly',
      'write_file',
      { filePath: 'plan.txt', content: '' },
      'wait=50',
    );
    expect((await ann.api.calls.get.query({ requestId })).ruling).toBe('rule');
  });

  it('has a page of its own while a question waits, which moves no row, and leads on once it is seen', async () => {
    await page.goto(`${server.url}/inbox`);
    await page.getByRole('heading', { level: 1, name: /echo often/ }).waitFor();
    const bar = page.locator('[data-test=recap-bar]');
    expect((await bar.innerText()).replaceAll(/\s+/g, ' ')).toBe(
      'Since your last visit 400 calls · 13 asked · 1 denied · 51 failed',
    );
    expect(await recap().count()).toBe(0);
    await bar.press('Enter');
    await page.waitForURL(`${server.url}/inbox/recap`);
    await recap().getByText('400 calls').waitFor();
    expect((await recap().boundingBox())?.width).toBeGreaterThan(600);
    await page.setViewportSize({ width: 390, height: 844 });
    await recap().getByText('400 calls').waitFor();
    expect(await widthFaults(page)).toEqual([]);
    await page.setViewportSize({ width: 1_280, height: 800 });
  });

  it('offers a rule that answered nothing in 30 days to go', async () => {
    const path = join(daemon.home, '.drawbridge/settings.json');
    const settings = JSON.parse(readFileSync(path, 'utf8')) as { rules: { allow: object[] } };
    const old = { toolGroup: 'browser', resource: 'old.example', madeAt: '2026-01-01T00:00:00.000Z' };
    settings.rules.allow.push(old);
    writeFileSync(path, JSON.stringify(settings));
    await page.reload();
    const row = recap().locator('[data-test=unused]');
    await row.getByText('Allow: visit old.example on').waitFor();
    await row.getByRole('button').press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).press('Enter');
    await row.waitFor({ state: 'detached' });
    await until(async () => !readFileSync(path, 'utf8').includes('old.example'));
    expect(readFileSync(path, 'utf8')).toContain('echo often');
  });

  it('is the same in another window, and gone in both once it is seen', async () => {
    const other = await openPage(browser, { person: ann });
    await other.goto(`${server.url}/inbox/recap`);
    await recap(other).getByText('400 calls').waitFor();
    await recap(other).getByRole('button', { name: 'Seen' }).press('Enter');
    // On to what waits.
    await other.getByRole('heading', { level: 1, name: /echo often/ }).waitFor();
    expect(await other.locator('[data-test=recap-bar]').count()).toBe(0);
    await other.context().close();
    const opened = page.waitForResponse(/calls\.recap/);
    await page.reload();
    expect(await (await opened).text()).toContain('null');
    expect(await recap().count()).toBe(0);
  });
});
