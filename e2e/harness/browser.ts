import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { chromiumPath } from '../service-table.ts';
import type { Person } from './client.ts';

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A real browser, with more flags where they are given. Close it at the end. */
export const startBrowser = (more: string[] = []): Promise<Browser> =>
  chromium.launch({ args: [...args, ...more], ...(chromiumPath ? { executablePath: chromiumPath } : {}) });

/** A page of its own session, for a person who is signed in, or for a stranger. */
export const openPage = async (
  browser: Browser,
  { person, ...options }: BrowserContextOptions & { person?: Person } = {},
): Promise<Page> => {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    ...(person && { storageState: { cookies: [], origins: [person.storage()] } }),
    ...options,
  });
  if (person) await context.addCookies(person.cookies());
  // Machines that run many tests at once are slow; the test's own limit is longer.
  context.setDefaultTimeout(60_000);
  return context.newPage();
};
