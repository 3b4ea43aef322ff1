import type { Page } from 'playwright-core';

/** Files that a browser without a cache loads until the page is quiet, and their compressed bytes. */
export const loadOf = async (page: Page, url: string) => {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const files: { path: string; bytes: number }[] = [];
  session.on('Network.responseReceived', ({ response: { url: from, headers } }) => {
    const length = headers['content-length'] ?? headers['Content-Length'];
    files.push({ path: new URL(from).pathname, bytes: Number(length ?? Number.NaN) });
  });
  await page.goto(url);
  await page.locator('h1').waitFor();
  const own = files.filter(({ path }) => !path.startsWith('/trpc/'));
  const kilobytes = (ending: string) =>
    own.reduce((sum, { path, bytes }) => sum + (path.endsWith(ending) ? bytes : 0), 0) / 1_000;
  await page.context().close();
  return { files: own.length, script: kilobytes('.js'), css: kilobytes('.css') };
};
