import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFakeClock, systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { openSettings } from '../permission/settings/settings.ts';
import { acquireLock } from './lock.ts';

const makeFolder = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

const from = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);

/** A process that runs this text with `folder` and `name` at hand. */
const startProcess = (folder: string, name: string, text: string) => {
  const script = `
    import { systemClock } from '@drawbridge/kit';
    import { acquireLock } from ${from('./lock.ts')};
    import { openSettings } from ${from('../permission/settings/settings.ts')};
    const [folder, name] = process.argv.slice(1);
    ${text}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder, name], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
};

it('PS-03 two processes that add rules at once lose none', async () => {
  const folder = makeFolder();
  const add = `
    const settings = await openSettings(folder, systemClock);
    for (let at = 0; at < 40; at += 1)
      await settings.addRules('deny', [{ toolGroup: 'shell', resource: name + ' ' + at }]);`;
  const both = ['one', 'two'].map((name) => once(startProcess(folder, name, add), 'close'));
  expect(await Promise.all(both)).toEqual([
    [0, null],
    [0, null],
  ]);
  const stored = (await openSettings(folder, systemClock)).rules().deny.map(({ resource }) => resource);
  const wanted = ['one', 'two'].flatMap((name) => Array.from({ length: 40 }, (_, at) => `${name} ${at}`));
  expect(stored.toSorted()).toEqual(wanted.toSorted());
  expect(readdirSync(join(folder, 'settings.lock'))).toHaveLength(1);
}, 120_000);

it('PS-03 a process that was killed while it held the lock locks no other out', async () => {
  const folder = makeFolder();
  const lockFolder = JSON.stringify(join(folder, 'settings.lock'));
  mkdirSync(join(folder, 'settings.lock'));
  const child = startProcess(
    folder,
    'holder',
    `await acquireLock(${lockFolder}); process.stdout.write('held'); setInterval(() => {}, 60_000);`,
  );
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  const settings = await openSettings(folder, systemClock);
  await settings.addRules('deny', [{ toolGroup: 'shell', resource: 'rm' }]);
  expect(settings.rules().deny).toEqual([{ toolGroup: 'shell', resource: 'rm', madeAt: expect.any(String) }]);
});

it('gives up after ten seconds when somebody keeps the lock, and changes nothing', async () => {
  const folder = makeFolder();
  const clock = createFakeClock();
  const beganAt = clock.now();
  mkdirSync(join(folder, 'settings.lock'));
  await acquireLock(join(folder, 'settings.lock'));
  const settings = await openSettings(folder, clock);
  let ended = false;
  const adding = settings
    .addRules('deny', [{ toolGroup: 'shell', resource: 'rm' }])
    .finally(() => (ended = true));
  adding.catch(() => {});
  while (!ended) await clock.settle(20);
  await expect(adding).rejects.toMatchObject({
    code: 'SETTINGS_BUSY',
    message: `Process ${process.pid} is changing the settings in ${folder}`,
  });
  expect([clock.now() - beganAt >= 9_980, settings.rules().deny]).toEqual([true, []]);
});
