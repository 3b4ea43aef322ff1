import { mkdtempSync, realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

export const serverEntry = fromRoot('apps/server/dist/main.js');
export const daemonEntry = fromRoot('apps/daemon/dist/cli.cjs');
export const picturePath = fromRoot('docs/panel.png');
export const panelNumbersPath = fromRoot('bench/panel.md');
export const chatPicturePath = fromRoot('docs/chat.png');

/** A new empty folder, by its real path. It goes with the test run. */
export const newFolder = (name: string, within = process.env.TEST_HOMES ?? tmpdir()): string =>
  realpathSync(mkdtempSync(join(within, `drawbridge-${name}-`)));

/** A new empty folder for a store, in memory where the test run has a place there. */
export const newDataFolder = (): string => newFolder('data', process.env.TEST_STORES);

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
