import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { daemonEntry, newFolder } from './harness/index.ts';

/** Runs the daemon's program in a home, and gives how many folders of compiled code are there then. */
const cachesIn = (home: string): number => {
  execFileSync(process.execPath, [daemonEntry, '--version'], { env: { HOME: home } });
  const folder = join(home, '.drawbridge/compile-cache');
  return existsSync(folder) ? readdirSync(folder).length : 0;
};

const homeWith = (mode: number): string => {
  const home = newFolder('home');
  mkdirSync(join(home, '.drawbridge'));
  chmodSync(join(home, '.drawbridge'), mode);
  return home;
};

describe('compiled code', () => {
  it('is kept in the private folder', () => {
    const home = homeWith(0o700);
    expect([cachesIn(home), cachesIn(home)]).toEqual([1, 1]);
  });

  it.each([0o777, 0o770, 0o701])('is neither read nor kept where others may have written it (%o)', (mode) => {
    expect(cachesIn(homeWith(mode))).toBe(0);
  });

  it('is not kept behind a link, and no folder is made for it', () => {
    const home = newFolder('home');
    expect([cachesIn(home), existsSync(join(home, '.drawbridge'))]).toEqual([0, false]);
    symlinkSync(join(homeWith(0o700), '.drawbridge'), join(home, '.drawbridge'));
    expect(cachesIn(home)).toBe(0);
  });
});
