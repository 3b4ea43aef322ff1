import { copyFileSync, mkdtempSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const serverEntry = fromRoot('apps/server/dist/main.js');
/** Flags of Node for programs that tests start: fewer garbage collections. Benches use none. In MB. */
export const flagsOfTests = process.env.VITEST === undefined ? [] : ['--min-semi-space-size=16'];

export const daemonEntry = fromRoot('apps/daemon/dist/cli.cjs');
export const picturePath = fromRoot('docs/panel.png');
export const panelNumbersPath = fromRoot('bench/panel.md');
export const chatPicturePath = fromRoot('docs/chat.png');

/** A new empty folder, by its real path. It goes with the test run. */
export const newFolder = (name: string, within = process.env.TEST_HOMES ?? tmpdir()): string =>
  realpathSync(mkdtempSync(join(within, `drawbridge-${name}-`)));

/** A new folder for a store, in memory where there is room; with the tables of the run, if it made them. */
export const newDataFolder = (): string => {
  const { TEST_STORES, TEST_STORE } = process.env;
  const folder = newFolder('data', TEST_STORES);
  if (TEST_STORE !== undefined) copyFileSync(TEST_STORE, join(folder, 'drawbridge.db'));
  return folder;
};

/** A port of 127.0.0.1 that is free now: a server that is started again must come back on the same one. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
