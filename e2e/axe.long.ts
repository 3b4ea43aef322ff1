import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  answer,
  connectDaemon,
  createProcesses,
  follow,
  lengthenTitles,
  openPage,
  showTheme,
  questionOf,
  run,
  setupToken,
  startBrowser,
  startServer,
  until,
  widthFaults,
  type Daemon,
  type Person,
  type Server,
  axeFaults,
  contrastFaults,
} from './harness/index.ts';
import { describeWith } from './services.ts';

/** Screenshots of every page and state, in light, dark and on a phone. CI takes none. */
const pictures = join(import.meta.dirname, '.artifacts/panel');
const leavesPictures = process.env.CI === undefined;
const wide = { width: 1_280, height: 800 };
const phone = { width: 390, height: 844 };
/** Another theme changes colours alone. */
const looks = [
  { name: 'light', colorScheme: 'light', viewport: wide, faultsOn: axeFaults },
  { name: 'phone', colorScheme: 'light', viewport: phone, faultsOn: axeFaults },
  { name: 'dark', colorScheme: 'dark', viewport: wide, faultsOn: contrastFaults },
] as const;

interface Opened {
  name: string;
  path: string;
  /** What must be in sight; a text, or a selector that begins with `[`. */
  shows: string;
  /** What is clicked then, in order. */
  clicks?: readonly string[];
}

const see = (page: Page, what: string) =>
  (what.startsWith('[') ? page.locator(what) : page.getByText(what)).first();

describeWith('chromium')('every page of the panel is without a fault that axe finds', () => {
  const processes = createProcesses();
  let server: Server;
  let browser: Browser;
  let ann: Person;
  let daemon: Daemon;
  let page: Page;
  let isSignedIn = false;
  const ids = {
    ...{ machine: '', question: '', asked: '', running: '', ended: '' },
    ...{ move: '', deletion: '', member: '', closed: '', agent: '' },
  };

  /** Pages that show the panel with nothing opened in it: another path is followed to, as a link does. */
  const inPanel = new Set<Page>();

  /** Resolves once the page shows what it must, and to whether it was loaded for that. */
  const visit = async (of: Page, { path, shows, clicks = [] }: Opened, state: 'visible' | 'attached') => {
    const to = path.replace(/\{(\w+)\}/, (_, id: keyof typeof ids) => ids[id]);
    // What is there before would say nothing of the new page.
    const loads = !inPanel.has(of) || (await see(of, shows).count()) > 0;
    await (loads ? of.goto(server.url + to) : follow(of, to));
    await see(of, shows).waitFor({ state });
    for (const click of clicks) await see(of, click).click();
    const staysPlain = isSignedIn && clicks.length === 0 && !path.startsWith('/connect-client');
    inPanel[staysPlain ? 'add' : 'delete'](of);
    return loads;
  };

  /** The faults of a page in each look, by its name, and by how much it is wider than phones. */
  const faultsOf = async (opened: Opened) => {
    const found: Record<string, string[]> = {};
    await page.setViewportSize(wide);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await visit(page, opened, 'visible');
    for (const { name, colorScheme, viewport, faultsOn } of looks) {
      await page.setViewportSize(viewport);
      await showTheme(page, colorScheme);
      found[name] = await faultsOn(page);
      const path = join(pictures, `${opened.name.replaceAll(' ', '-')}.${name}.jpg`);
      if (leavesPictures) await page.screenshot({ path, quality: 60 });
    }
    return { ...found, width: await widthFaults(page) };
  };
  const none = { light: [], dark: [], phone: [], width: [] };

  beforeAll(async () => {
    server = await startServer(processes);
    browser = await startBrowser();
    page = await openPage(browser);
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  it('set-up', async () => {
    const opened = { name: 'set-up', path: `/setup#${setupToken}`, shows: '[name=password]' };
    expect(await faultsOf(opened)).toEqual(none);
  });

  it('has an owner', async () => {
    ann = await server.createOwner();
  });

  const outside: Opened[] = [
    { name: 'sign-in', path: '/sign-in', shows: '[name=password]', clicks: ['Forgot password?'] },
    { name: 'invitation', path: '/invitation#token=x', shows: '[name=email]' },
    { name: 'new password', path: '/reset-password#token=x', shows: '[name=password]' },
  ];
  it.each(outside)('$name', async (opened) => {
    expect(await faultsOf(opened)).toEqual(none);
  });

  const withoutMachine: Opened[] = [
    { name: 'an empty inbox', path: '/', shows: 'Nothing waits for you' },
    { name: 'no machine', path: '/machines', shows: 'No machine is connected' },
    { name: 'connecting one', path: '/machines/new', shows: '[data-test=command]' },
    { name: 'no such machine', path: '/machines/unknown', shows: 'There is no such machine' },
    { name: 'no calls', path: '/activity', shows: 'No calls yet' },
    { name: 'no agents', path: '/agents', shows: 'No agents yet' },
    { name: 'more', path: '/more', shows: 'Agents' },
  ];
  it('signs in', async () => {
    await page.context().close();
    page = await openPage(browser, { person: ann });
    isSignedIn = true;
  });

  it.each(withoutMachine)('$name', async (opened) => {
    expect(await faultsOf(opened)).toEqual(none);
  });

  it('starts a machine', async () => {
    const flags = ['--permission-shell', 'allow', '--dangerously-disable-shell-sandbox'];
    daemon = await connectDaemon(processes, { person: ann, url: server.url, flags });
    mkdirSync(join(daemon.root, 'src'));
    writeFileSync(join(daemon.root, 'src/server.ts'), 'const port = 3000;\nlisten(port);\n');
    const read = await run(ann, 'read_file', { filePath: 'src/server.ts' });
    const asked = await run(ann, 'write_file', {
      filePath: 'src/server.ts',
      content: "const port = 8080;\nconst host = '::';\nlisten(port, host);\n",
    });
    ids.ended = read.requestId;
    ids.asked = asked.requestId;
    ids.machine = read.machineId;
    ids.question = (await questionOf(ann, asked.requestId)).id;
    const idOf = async (tool: string, args: Record<string, unknown>) =>
      (await questionOf(ann, (await run(ann, tool, args)).requestId)).id;
    writeFileSync(join(daemon.root, 'draft.md'), '# Draft\n');
    ids.move = await idOf('move', { sourcePath: 'draft.md', destinationPath: 'post.md' });
    ids.deletion = await idOf('delete', { path: 'src' });
    const written = (name: string) => idOf('write_file', { filePath: `posts/${name}`, content: 'a\n' });
    ids.member = await written('a');
    for (const name of ['b', 'c']) await written(name);
    const done = await run(ann, 'write_file', { filePath: 'done.txt', content: 'a\n' });
    ids.closed = (await questionOf(ann, done.requestId)).id;
    await answer(ann, done.requestId, { approved: true, resourceDecision: 'allowOnce' });
    const notes = await ann.api.tokens.create.mutate({ name: 'Notes agent', scopes: ['filesystemRead'] });
    ids.agent = notes.id;
    await ann.api.invitations.create.mutate();
  });

  const withMachine: Opened[] = [
    { name: 'machines', path: '/machines', shows: '[data-test=machine-row]' },
    { name: 'machine', path: '/machines/{machine}', shows: '[data-test=state]' },
    {
      name: 'renaming it',
      path: '/machines/{machine}',
      shows: '[data-test=state]',
      clicks: ['[aria-label="More actions"]', 'Rename'],
    },
    { name: 'its rules', path: '/machines/{machine}/rules', shows: 'No rules yet' },
    { name: 'tools', path: '/tools', shows: 'read_file' },
    { name: 'a tool', path: '/tools?tool=write_file', shows: '[name=filePath]' },
    { name: 'activity', path: '/activity', shows: '[data-test=call]' },
    { name: 'a call', path: '/activity/{ended}', shows: '[data-test=result]' },
    { name: 'an asked call', path: '/activity/{asked}', shows: '[data-test=confirmation]' },
    { name: 'no call that matches', path: '/activity?q=nothing', shows: 'No call matches' },
    { name: 'no such call', path: '/activity/unknown', shows: 'There is no such call.' },
    { name: 'the inbox', path: '/inbox', shows: '[data-test=row]' },
    { name: 'a question', path: '/inbox/{question}', shows: '[data-row=added]' },
    {
      name: 'its reason',
      path: '/inbox/{question}',
      shows: '[data-row=added]',
      clicks: ['[data-test=give-reason]', '[data-test=reason]'],
    },
    { name: 'a move', path: '/inbox/{move}', shows: '[data-test=pair]' },
    { name: 'a deletion', path: '/inbox/{deletion}', shows: '[data-decision=allowOnce]' },
    { name: 'a group', path: '/inbox/{member}?group=1', shows: '[data-test=member]' },
    { name: 'a closed question', path: '/inbox/{closed}', shows: 'This question is closed' },
    {
      name: 'the palette',
      path: '/inbox',
      shows: '[data-test=row]',
      clicks: ['[data-test=quick]', '[data-test=palette] input'],
    },
    {
      name: 'its lasting answers',
      path: '/inbox/{question}',
      shows: '[data-row=added]',
      clicks: ['[data-test=more]'],
    },
    { name: 'no such question', path: '/inbox/unknown', shows: 'Question not found' },
    { name: 'an agent', path: '/agents/new', shows: '[data-test=lines]' },
    { name: 'an agent that signs in', path: '/agents/new/claude-ai', shows: '[data-test=address-problem]' },
    { name: 'settings', path: '/settings/account', shows: '[data-test=session]' },
    {
      name: 'channels',
      path: '/settings/channels',
      shows: 'Write to the agent from your phone',
      clicks: [
        '[aria-label="Set up Telegram"]',
        '[aria-label="Set up iMessage (BlueBubbles)"]',
        '[aria-label="Set up Google Chat"]',
        '[aria-label="Set up Microsoft Teams"]',
      ],
    },
    { name: 'webhooks', path: '/settings/webhooks', shows: 'New webhook' },
    { name: 'notifications', path: '/settings/notifications', shows: '[data-test=device-state]' },
    {
      name: 'a new password',
      path: '/settings/account',
      shows: '[data-test=session]',
      clicks: ['Change password'],
    },
    { name: 'people', path: '/settings/people', shows: 'Invite' },
    { name: 'appearance', path: '/settings/appearance', shows: 'Dark' },
    { name: 'server', path: '/settings/server', shows: 'Model' },
    {
      name: 'all parts of the built-in agent',
      path: '/settings/server',
      shows: 'Model',
      clicks: [1, 2, 3, 4].map((at) => `[data-test=part]:nth-child(${at}) summary`),
    },
    { name: 'tokens', path: '/agents', shows: '[data-test=token-row]' },
    { name: 'a token', path: '/agents/{agent}', shows: '[data-test=agent-scopes]' },
    { name: 'no such agent', path: '/agents/unknown', shows: 'There is no such agent' },
    { name: 'a new token', path: '/agents', shows: '[data-test=token-row]', clicks: ['New token'] },
    {
      name: 'revoking a token',
      path: '/agents',
      shows: '[data-test=token-row]',
      clicks: ['Revoke'],
    },
    {
      name: 'a client that cannot be connected',
      path: '/connect-client?error=invalid_client',
      shows: 'cannot be connected',
    },
    { name: 'no such page', path: '/nowhere', shows: 'Page not found' },
  ];
  it('a running call', async () => {
    const command = 'echo begins; while [ ! -e stop ]; do sleep 0.1; done';
    void run(ann, 'shell_execute', { command }).catch(() => undefined);
    ids.running = await until(async () => {
      const { calls } = await ann.api.calls.list.query({});
      return calls.find(({ state }) => state === 'delivered')?.requestId;
    });
    const opened = { name: 'a running call', path: '/activity/{running}', shows: '[data-test=output]' };
    expect(await faultsOf(opened)).toEqual(none);
    writeFileSync(join(daemon.root, 'stop'), '');
  });

  it.each(withMachine)('$name', async (opened) => {
    expect(await faultsOf(opened)).toEqual(none);
  });

  it('a title of 300 letters widens no page on a phone', async () => {
    const narrow = await openPage(browser, { person: ann });
    await lengthenTitles(narrow);
    const faults: Record<string, string[]> = {};
    const plain = withMachine.filter(({ clicks }) => clicks === undefined);
    for (const opened of plain) {
      const loaded = await visit(narrow, opened, 'attached');
      // Outside of the shell there are no questions; elsewhere, their number is in the title once they are here.
      if (loaded && !opened.path.startsWith('/connect-client'))
        await until(async () => (await narrow.title()).startsWith('('));
      faults[opened.name] = await widthFaults(narrow);
    }
    expect(faults).toEqual(Object.fromEntries(plain.map(({ name }) => [name, []])));
    await narrow.context().close();
  });
});
