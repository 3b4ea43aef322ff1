import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { headlessPath, chromiumPath } from '../service-table.ts';
import type { Person } from './client.ts';

/** An address of this machine that browsers do not trust as they trust loopback. */
export const otherHost = '10.9.8.7';

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--host-resolver-rules=MAP ${otherHost} 127.0.0.1`,
  // A fake microphone without a permission prompt, and audio that plays without a click.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--autoplay-policy=no-user-gesture-required',
];

interface LaunchOptions {
  /** More flags. */
  flags?: string[];
  /** The browser that people have; otherwise its headless shell, where that is installed. */
  full?: boolean;
}

export const launchOptions = ({ flags = [], full = false }: LaunchOptions = {}) => {
  const executablePath = full ? chromiumPath : headlessPath;
  return { args: [...args, ...flags], ...(executablePath ? { executablePath } : {}) };
};

/** A process of its own: for other flags, for the clipboard, which all pages share, and for programs. */
export const startOwnBrowser = (options?: LaunchOptions): Promise<Browser> =>
  chromium.launch(launchOptions(options));

/** The browser that all files of a test run share. `close` closes the pages that were opened through this one. */
export const startBrowser = (): Promise<Browser> => {
  const endpoint = process.env.TEST_BROWSER;
  return endpoint === undefined ? startOwnBrowser() : chromium.connect(endpoint);
};

/** Runs in the page before its own scripts; `title` is what each question is called. */
const withTitles = (title: string) => `
  const load = window.fetch;
  window.fetch = async (...wanted) => {
    const response = await load(...wanted);
    if (!/\\/trpc\\/[^?]*confirmations\\./.test(response.url)) return response;
    const text = await response.text();
    const { status, headers } = response;
    return new Response(text.replaceAll(/"title":"(?:[^"\\\\]|\\\\.)*"/g, '"title":"${title}"'), { status, headers });
  };`;

/**
 * Gives every question the longest title, from the next page on: daemons of the specification cut none.
 * Resolves to it. In the page itself, because a route outlives a page that closes, and fails then.
 */
export const lengthenTitles = async (page: Page): Promise<string> => {
  const title = 'x'.repeat(300);
  await page.addInitScript({ content: withTitles(title) });
  return title;
};

const phoneWidths = [320, 390];

/** By how many pixels the page is wider than the phones that it was shown on: `320: 561`. */
export const widthFaults = async (page: Page): Promise<string[]> => {
  const found: string[] = [];
  for (const width of phoneWidths) {
    await page.setViewportSize({ width, height: 844 });
    const shown = await page.evaluate('document.scrollingElement.scrollWidth');
    if (shown !== width) found.push(`${width}: ${Number(shown) - width}`);
  }
  return found;
};

/** Shows the page in a theme, without a colour that is still on its way from the other one. */
export const showTheme = async (page: Page, colorScheme: 'light' | 'dark'): Promise<void> => {
  await page.addStyleTag({ content: '*, ::before, ::after { transition: none !important }' });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  await page.locator(`html[style*="${colorScheme}"]`).waitFor();
};

/** A page of its own session, for a person who is signed in, or for a stranger; without service workers. */
export const openPage = async (
  browser: Browser,
  { person, ...options }: BrowserContextOptions & { person?: Person } = {},
): Promise<Page> => {
  const context = await browser.newContext({
    viewport: { width: 1_280, height: 800 },
    serviceWorkers: 'block',
    ...(person && { storageState: { cookies: [], origins: [person.storage()] } }),
    ...options,
  });
  if (person) await context.addCookies(person.cookies());
  // Machines that run many tests at once are slow; the test's own limit is longer.
  context.setDefaultTimeout(60_000);
  return context.newPage();
};
