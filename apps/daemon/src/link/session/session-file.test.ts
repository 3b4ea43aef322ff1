import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Keyring } from './keyring.ts';
import { createSessionFile } from './session-file.ts';

const session = {
  url: 'https://bridge.example.org/',
  key: `sess_${'k'.repeat(32)}`,
  hostIdentifier: 'ann@desk',
};
const clock = createFakeClock();

const makeFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'drawbridge-session-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A keyring in memory; `broken` refuses everything. */
const fakeKeyring = ({ likely = true, broken = false } = {}) => {
  let kept: string | null = null;
  const used: string[] = [];
  const use = async <T>(what: string, run: () => T): Promise<T> => {
    used.push(what);
    if (broken) throw new Error('locked');
    return run();
  };
  const keyring: Keyring = {
    isLikely: () => likely,
    probe: () => use('try', () => {}),
    get: () => use('get', () => kept),
    set: (secret) => use('set', () => void (kept = secret)),
    remove: () => use('remove', () => void (kept = null)),
  };
  return { keyring, used, kept: () => kept };
};

const textOf = (folder: string) => readFileSync(join(folder, 'session.json'), 'utf8');

describe('the session key', () => {
  it('is in the keyring alone where there is one', async () => {
    const folder = makeFolder();
    const ring = fakeKeyring();
    const file = createSessionFile({ folder, clock, keyring: ring.keyring });
    await file.write(session);
    expect([textOf(folder).includes('sess_'), ring.kept()]).toEqual([false, session.key]);
    expect(await file.readKept()).toEqual({
      url: session.url,
      hostIdentifier: 'ann@desk',
      keptIn: 'keyring',
    });
    expect(await file.read()).toEqual(session);
    await file.forget();
    expect([ring.kept(), await file.readKept()]).toEqual([null, null]);
  });

  it.each([
    ['it is missing', { likely: false }, null, []],
    ['it does not work', { broken: true }, null, ['set']],
    ['the person wants it so', {}, 'file' as const, []],
  ])('PS-04 is in a file 0600 where %s', async (_name, kind, keyStore, used) => {
    const folder = makeFolder();
    const ring = fakeKeyring(kind);
    const file = createSessionFile({ folder, clock, keyStore, keyring: ring.keyring });
    await file.write(session);
    expect(await file.read()).toEqual(session);
    expect(await file.readKept()).toMatchObject({ keptIn: 'file' });
    expect(statSync(join(folder, 'session.json')).mode & 0o777).toBe(0o600);
    expect(ring.used).toEqual(used);
  });

  it('is not saved, with an error, where the person wants a keyring that does not work', async () => {
    const folder = makeFolder();
    const { keyring } = fakeKeyring({ broken: true });
    const file = createSessionFile({ folder, clock, keyStore: 'keyring', keyring });
    await expect(file.probe()).rejects.toThrow('locked');
    await expect(file.write(session)).rejects.toThrow('locked');
    expect(await file.readKept()).toBe(null);
  });

  it('moves to the file with the next pairing that wants it there', async () => {
    const folder = makeFolder();
    const ring = fakeKeyring();
    await createSessionFile({ folder, clock, keyring: ring.keyring }).write(session);
    await createSessionFile({ folder, clock, keyStore: 'file', keyring: ring.keyring }).write(session);
    expect(textOf(folder)).toContain(session.key);
  });
});
