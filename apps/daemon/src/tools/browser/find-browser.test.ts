import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { BrowserEnvironment } from './config.ts';
import { findBrowser, howToInstall } from './find-browser.ts';

const machine = (files: string[]) => {
  const base = mkdtempSync(join(tmpdir(), 'drawbridge-'));
  onTestFinished(() => rmSync(base, { recursive: true }));
  for (const file of files) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), '');
    chmodSync(join(base, file), 0o755);
  }
  const environment: BrowserEnvironment = {
    variables: {},
    path: [join(base, 'bin'), join(base, 'other')],
    chosen: undefined,
    home: join(base, 'home'),
    programFiles: [join(base, 'Program Files')],
    display: false,
  };
  return { base, environment };
};

it.each<[string, NodeJS.Platform, string[], string | undefined]>([
  ['Chromium of Debian', 'linux', ['bin/chromium'], 'bin/chromium'],
  ['Chrome before Chromium', 'linux', ['bin/chromium', 'other/google-chrome'], 'other/google-chrome'],
  [
    "Playwright's newest",
    'linux',
    [
      'home/.cache/ms-playwright/chromium-999/chrome-linux/chrome',
      'home/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome',
    ],
    'home/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome',
  ],
  [
    'Chrome on Windows',
    'win32',
    ['Program Files/Google/Chrome/Application/chrome.exe'],
    'Program Files/Google/Chrome/Application/chrome.exe',
  ],
  [
    'Chrome in a home on macOS',
    'darwin',
    ['home/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    'home/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ],
  ['nothing', 'linux', ['bin/firefox'], undefined],
])('finds %s', (_what, platform, files, expected) => {
  const { base, environment } = machine(files);
  expect(findBrowser(environment, platform)).toBe(expected && join(base, expected));
});

it('takes the one that the person chose, and no other where it is not there', () => {
  const { base, environment } = machine(['bin/chromium', 'mine']);
  const choose = (chosen: string) => findBrowser({ ...environment, chosen: join(base, chosen) }, 'linux');
  expect([choose('mine'), choose('gone')]).toEqual([join(base, 'mine'), undefined]);
});

it.each(['linux', 'darwin', 'win32'] as const)('says what to install on %s', (platform) => {
  expect(howToInstall(platform)).toMatch(/Chrome|chromium/);
  expect(howToInstall(platform).length).toBeLessThanOrEqual(500);
});
