import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserEnvironment } from './config.ts';

const names = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
];

const macApps = [
  'Google Chrome.app/Contents/MacOS/Google Chrome',
  'Chromium.app/Contents/MacOS/Chromium',
  'Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

const windowsPrograms = ['Google/Chrome/Application/chrome.exe', 'Microsoft/Edge/Application/msedge.exe'];

const entries = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Where `npx playwright install chromium` puts it, newest first. */
const playwrightCache = (home: string): string[] => {
  const folder = join(home, '.cache/ms-playwright');
  return entries(folder)
    .filter((name) => /^chromium-\d+$/.test(name))
    .sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
    .flatMap((name) =>
      ['chrome-linux64/chrome', 'chrome-linux/chrome'].map((file) => join(folder, name, file)),
    );
};

const candidates = (environment: BrowserEnvironment, platform: NodeJS.Platform): string[] => {
  const { home, path, programFiles } = environment;
  switch (platform) {
    case 'darwin':
      return ['/Applications', ...(home === undefined ? [] : [join(home, 'Applications')])].flatMap(
        (folder) => macApps.map((app) => join(folder, app)),
      );
    case 'win32':
      return programFiles.flatMap((folder) => windowsPrograms.map((file) => join(folder, file)));
    default:
      return [
        ...names.flatMap((name) => path.map((folder) => join(folder, name))),
        ...(home === undefined ? [] : playwrightCache(home)),
      ];
  }
};

/** The Chrome, Chromium or Edge of this machine, not started. A configured path is the only candidate. */
export const findBrowser = (
  environment: BrowserEnvironment,
  platform: NodeJS.Platform,
): string | undefined => {
  if (environment.chosen !== undefined)
    return existsSync(environment.chosen) ? environment.chosen : undefined;
  return candidates(environment, platform).find((path) => existsSync(path));
};

const installs: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'Install Google Chrome',
  win32: 'Install Google Chrome or Microsoft Edge',
};

export const howToInstall = (platform: NodeJS.Platform): string =>
  `no Chrome, Chromium or Edge was found. ${
    installs[platform] ??
    'Install one (Debian: apt-get install chromium; any Linux: npx playwright install chromium)'
  }, or set DRAWBRIDGE_BROWSER_PATH`;
