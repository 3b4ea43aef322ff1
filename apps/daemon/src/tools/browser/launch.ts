import type { BrowserContext, BrowserType } from 'playwright-core';
import type { BrowserEnvironment } from './config.ts';
import type { BrowserFolders } from './downloads/folders.ts';
import { actionMs, navigationMs } from './limits.ts';

export interface LaunchOptions {
  executablePath: string;
  environment: BrowserEnvironment;
  folders: BrowserFolders;
  proxyUrl: string;
  platform: NodeJS.Platform;
}

/** What would go around the proxy or ask the person something in the browser's own windows. */
const switches = [
  // Names are looked up by the proxy alone.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--disable-blink-features=WebTransport',
  '--disable-shared-workers',
  '--deny-permission-prompts',
  '--disable-notifications',
  '--no-pings',
];

/** Root has no sandbox to give: the browser would not start. */
const mayUseSandbox = (): boolean => process.getuid?.() !== 0;

/** Starts the browser with its own profile, controlled through a pipe: no port is opened. */
export const launchBrowser = (chromium: BrowserType, options: LaunchOptions): Promise<BrowserContext> => {
  const { executablePath, environment, folders, proxyUrl, platform } = options;
  return chromium
    .launchPersistentContext(folders.profile, {
      executablePath,
      args: switches,
      headless: platform === 'linux' && !environment.display,
      chromiumSandbox: mayUseSandbox(),
      // The person's home has certificates and settings in it that pages are not to use.
      env: { ...environment.variables, HOME: folders.profile },
      proxy: { server: proxyUrl, bypass: '<-loopback>' },
      serviceWorkers: 'block',
      acceptDownloads: true,
      downloadsPath: folders.downloads,
      timeout: navigationMs,
      // Signals are for the daemon, which closes what it has open.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    .then((context) => {
      context.setDefaultTimeout(actionMs);
      context.setDefaultNavigationTimeout(navigationMs);
      return context;
    });
};
