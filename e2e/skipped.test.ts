import { expect, it } from 'vitest';
import { skippedLines, skipReason } from './skipped.ts';

it('groups skipped tests by reason, and names the one command that enables them', () => {
  const browser = skipReason(['chromium']);
  expect(
    skippedLines([
      `the panel ${browser} > opens`,
      `the panel ${browser} > closes`,
      `a display ${skipReason(['display', 'chromium'])} > shows`,
      `a client ${skipReason(['other nodes'])} > calls`,
      'a unit [no systemd-analyze] > is valid',
    ]),
  ).toEqual([
    'Skipped 5 tests:',
    '    2  no chromium',
    '    1  no display, no chromium',
    '    1  no other nodes',
    '    1  no systemd-analyze',
    'To run them: sudo apt-get install chromium libxtst6 x11-xkb-utils xdotool xvfb',
    'To run those without a package: run pnpm test:long, which installs the other versions of Node, on Linux on x64',
  ]);
  expect(skippedLines([])).toEqual([]);
});
