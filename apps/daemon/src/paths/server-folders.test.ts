import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serverPlacesFolder } from '@drawbridge/contracts/machines/server-places';
import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { setVariables } from '../../test/support/home/config.ts';
import { makeFolders } from '../../test/support/tool-fixture.ts';
import { createServerFolders } from './server-folders.ts';

const minuteMs = 60_000;
const start = systemClock.now();

/** The home of an account with entries of servers, and what is closed at a time after the start. */
const openHome = () => {
  const { base } = makeFolders();
  setVariables({ HOME: base });
  const folder = join(base, ...serverPlacesFolder);
  mkdirSync(folder, { recursive: true });
  let now = start;
  const closed = createServerFolders({ now: () => now });
  return {
    data: join(base, 'data'),
    write: (path: string, atMs: number) => {
      const file = join(folder, 'one.json');
      writeFileSync(file, JSON.stringify({ version: 1, paths: [path] }));
      utimesSync(file, (start + atMs) / 1_000, (start + atMs) / 1_000);
    },
    closedAt: (atMs: number) => {
      now = start + atMs;
      return closed();
    },
  };
};
const makeStore = (data: string) => {
  mkdirSync(data, { recursive: true });
  writeFileSync(join(data, 'auth-secret'), '');
};

it('NG-05 a server that starts is closed at the next call, also where it makes its store later', () => {
  const { data, write, closedAt } = openHome();
  expect(closedAt(0)).not.toContain(data);
  write(data, 0);
  expect(closedAt(1)).not.toContain(data);
  makeStore(data);
  expect(closedAt(2)).toContain(data);
});

it('NG-05 a store that comes back without its server is closed within a second', () => {
  const { data, write, closedAt } = openHome();
  write(data, -10 * minuteMs);
  expect(closedAt(0)).not.toContain(data);
  makeStore(data);
  expect(closedAt(1_000)).toContain(data);
  rmSync(data, { recursive: true });
  expect(closedAt(2_000)).not.toContain(data);
});
