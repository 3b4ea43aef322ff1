import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { installedPlaces, packageIn, programIn } from '../program/places.ts';
import { addVersion, currentName, removeOthers, useVersion } from './versions.ts';

const release = { version: '0.1.0', build: '0123456789ab' };
const name = '0.1.0-0123456789ab';

const makePlaces = () => {
  const home = mkdtempSync(join(tmpdir(), 'drawbridge-versions-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return installedPlaces(home);
};

/** A package whose program runs this code. */
const withProgram = (code: string) => async (draft: string) => {
  mkdirSync(join(packageIn(draft), 'dist'), { recursive: true });
  writeFileSync(join(packageIn(draft), 'package.json'), JSON.stringify(release));
  writeFileSync(programIn(draft), code);
};
const prints = (text: string) => withProgram(`console.log(${JSON.stringify(text)})`);

it.each<[string, (draft: string) => Promise<void>]>([
  [
    'breaks off',
    async (draft) => {
      await prints(name)(draft);
      throw new Error('no space left on device');
    },
  ],
  ['does not start', withProgram('throw new Error("half a file")')],
  ['is another release than its manifest says', prints('0.0.9')],
  ['is empty', async () => {}],
])('a copy that %s is never used, and leaves nothing', async (_name, fill) => {
  const places = makePlaces();
  await expect(addVersion(places, { fill, nowMs: 0 })).rejects.toThrow();
  expect(readdirSync(places.versions)).toEqual([]);
});

it('takes no other release than the one that is expected', async () => {
  const places = makePlaces();
  const expected = { ...release, build: 'ba9876543210' };
  const added = addVersion(places, { fill: prints(name), expected, nowMs: 0 });
  await expect(added).rejects.toMatchObject({ code: 'NOT_WHOLE' });
});

it('keeps a whole one, replaces one that no longer starts, and clears what a killed process left', async () => {
  const places = makePlaces();
  const old = join(places.versions, '.new-old');
  mkdirSync(old, { recursive: true });
  utimesSync(old, 0, 0);
  const nowMs = 2 * 60 * 60 * 1_000;
  expect(await addVersion(places, { fill: prints(name), expected: release, nowMs })).toEqual(release);
  await useVersion(places, release);
  const fill = () => Promise.reject(new Error('it was whole'));
  expect(await addVersion(places, { fill, expected: release, nowMs })).toEqual(release);
  writeFileSync(programIn(join(places.versions, name)), '');
  expect(await addVersion(places, { fill: prints(name), expected: release, nowMs })).toEqual(release);
  expect(readdirSync(places.versions).sort()).toEqual([name, 'current']);
  mkdirSync(join(places.versions, '0.0.1'));
  await removeOthers(places, [name]);
  expect([readdirSync(places.versions).sort(), await currentName(places)]).toEqual([[name, 'current'], name]);
});
