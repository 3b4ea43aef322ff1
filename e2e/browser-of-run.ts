import { chromium, type BrowserServer } from 'playwright-core';
import { launchOptions } from './harness/browser.ts';
import { services } from './service-table.ts';

let server: BrowserServer | undefined;

/** Starts the browser that the files of a test run share, if there is one. */
export const setup = async (): Promise<void> => {
  if (!services.chromium.isThere()) return;
  server = await chromium.launchServer(launchOptions());
  process.env.TEST_BROWSER = server.wsEndpoint();
};

export const teardown = async (): Promise<void> => server?.close();
