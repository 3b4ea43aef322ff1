import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, type Clock } from '@drawbridge/kit';
import { errors } from './errors.ts';
import { acquireLock } from './lock.ts';

/** A change takes a few milliseconds: a process that holds the lock for 10 s hangs. */
const tryEveryMs = 20;
const maxTries = 500;

/** Runs a change of the settings in `folder` while no other process changes them. Throws `settingsBusy`. */
export const whileLocked = async <T>(
  { folder, clock }: { folder: string; clock: Clock },
  change: () => Promise<T>,
): Promise<T> => {
  const lockFolder = join(folder, 'settings.lock');
  await mkdir(lockFolder, { recursive: true, mode: 0o700 });
  let lock = await acquireLock(lockFolder);
  for (let tries = 1; lock.kind === 'held'; tries += 1) {
    if (tries >= maxTries) {
      throw errors.settingsBusy({ message: `Process ${lock.pid} is changing the settings in ${folder}` });
    }
    await sleep(clock, tryEveryMs);
    lock = await acquireLock(lockFolder);
  }
  try {
    return await change();
  } finally {
    await lock.release();
  }
};
