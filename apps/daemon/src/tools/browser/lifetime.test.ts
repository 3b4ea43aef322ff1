import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { shared } from '../../../test/support/clean-up.ts';
import { allText, openBrowserTools, openSite, until } from '../../../test/support/browser-fixture.ts';
import { makeFolders, openTools } from '../../../test/support/tool-fixture.ts';

vi.setConfig({ testTimeout: 120_000 });

const good = 'good.example';

it('a call says that it is under way also while the browser starts', async () => {
  const folders = makeFolders();
  const slow = join(folders.base, 'slow');
  // Ends without having started: all that the call says, it says before.
  writeFileSync(slow, '#!/bin/sh\nsleep 1; exit 1\n', { mode: 0o700 });
  vi.stubEnv('DRAWBRIDGE_BROWSER_PATH', slow);
  onTestFinished(() => void vi.unstubAllEnvs());
  const said: (string | undefined)[] = [];
  const { call } = await openTools({
    folders,
    modes: { browser: 'allow' },
    clock: { ...systemClock, every: (ms, run) => systemClock.every(ms / 100, run) },
    progress: ({ message }) => void said.push(message),
    toolsets: { browser: { mode: 'ephemeral', serverUrl: 'http://127.0.0.1:9' } },
  });
  expect((await call('browser_snapshot', {})).isError).toBe(true);
  expect(said).toContain('The browser is working');
});

describeWith('chromium')('the browser itself', () => {
  const world = shared(async () => {
    const site = await openSite(() => ({ '/': '<title>Hello</title>' }));
    return { site, ...(await openBrowserTools({ allow: [`${good}:${site.port}`] })) };
  });

  it('keeps cookies where the person chose a profile that stays, and only there', async () => {
    const cookies: (string | undefined)[] = [];
    const site = await openSite(() => ({
      '/': (request, response) => {
        cookies.push(request.headers.cookie);
        response.setHeader('set-cookie', 'seen=1; max-age=1000');
        response.end('hello');
      },
    }));
    const host = `${good}:${site.port}`;
    const { settings, ...ephemeral } = world();
    await settings.addRules('allow', [{ toolGroup: 'browser', resource: host }]);
    for (const { go, call } of [ephemeral, await openBrowserTools({ allow: [host], mode: 'persistent' })]) {
      await go(site.url(good));
      await call('browser_close', {});
      await go(site.url(good));
    }
    expect(cookies).toEqual([undefined, undefined, undefined, 'seen=1']);
  });

  it('BR-12 starts again after its end, also where a page brought it down', async () => {
    const { site, go, own } = world();
    await go(site.url(good));
    const [run = ''] = readdirSync(join(own, 'browser'));
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const line = existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';
      if (line.includes(run) && line.includes('--remote-debugging-pipe'))
        process.kill(Number(pid), 'SIGKILL');
    }
    expect(await until(() => go(site.url(good)), 'Hello')).toContain('Hello');
    await expect.poll(() => readdirSync(join(own, 'browser'))).not.toContain(run);
  });

  it('BR-12 a call that is cancelled ends at once, and the next one works', async () => {
    const { site, go, send } = world();
    site.serve({ '/never': () => undefined });
    await go(site.url(good));
    const abort = new AbortController();
    const toolCall = { name: 'browser_navigate', arguments: { url: site.url(good, '/never') } };
    const pending = send({ requestId: 'r', toolCall }, abort.signal);
    await site.reached(`${good}/never`);
    abort.abort();
    expect((await pending)._meta).toMatchObject({ 'drawbridge/outcome': 'cancelled' });
    expect(allText(await go(site.url(good)))).toContain('Page Title: Hello');
  });

  it('BR-12 closes what a page opens beyond ten tabs, and a tab that floods its console', async () => {
    const { site, go, call } = world();
    site.serve({
      '/tabs': '<button onclick="for (let i = 0; i < 14; i++) window.open(\'/\')">Open</button>',
      '/flood': '<script>for (let i = 0; i < 5100; i++) console.log(i)</script>',
    });
    await go(site.url(good, '/tabs'));
    const list = () => call('browser_tabs', { action: 'list' });
    const clicked = allText(await call('browser_click', { target: 'button' }));
    expect(await until(list, 'A tab was closed', clicked)).toContain(
      'A tab was closed: 10 are open already.',
    );
    const flooded = allText(await go(site.url(good, '/flood')));
    expect(await until(list, 'wrote 5000 messages', flooded)).toContain('wrote 5000 messages');
  });

  it('BR-09, BR-11 has a folder of its own for the person alone, no port, none of the environment, and leaves nothing', async () => {
    const { site, go, call, own } = world();
    await go(site.url(good));
    const folder = join(own, 'browser');
    const [run = ''] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const commands = readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid))
      .flatMap((pid) => {
        try {
          const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
          return line.some((word) => word.includes(run))
            ? [{ line, env: readFileSync(`/proc/${pid}/environ`, 'utf8') }]
            : [];
        } catch {
          return [];
        }
      });
    const main = commands.find(({ line }) => line.includes('--remote-debugging-pipe'));
    expect(main?.line.some((word) => word.startsWith('--remote-debugging-port'))).toBe(false);
    expect(main?.env).toContain(`HOME=${join(folder, run, 'profile')}`);
    expect(main?.env).not.toMatch(/VITEST|DRAWBRIDGE|npm_/);
    await call('browser_close', {});
    expect(readdirSync(folder)).toEqual([]);
  });
});
