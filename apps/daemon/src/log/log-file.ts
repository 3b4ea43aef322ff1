import { constants } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, hasCode } from '@drawbridge/kit';

/** A log grows to this many bytes; then it is set aside. */
export const maxLogBytes = 1024 * 1024;
/** What waits for the disk, in characters; lines beyond it are counted, not kept. */
const maxWaitingLength = 256 * 1024;
const gatherMs = 100;

const append =
  constants.O_WRONLY |
  constants.O_CREAT |
  constants.O_APPEND |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

const openLog = async (path: string) => {
  try {
    return await open(path, append, 0o600);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, append, 0o600);
  }
};

/** `log` -> `log.1` -> `log.2` …; the last of `older` goes. */
const setAside = async (path: string, older: number) => {
  await rm(`${path}.${older}`, { force: true });
  for (let at = older - 1; at >= 1; at -= 1)
    await rename(`${path}.${at}`, `${path}.${at + 1}`).catch(() => {});
  await rename(path, `${path}.1`);
};

/**
 * Opens the log at `path` (0600 in a folder 0700) with room for `older` full ones beside it.
 * A disk that refuses loses the lines, nothing else.
 */
export const createLogFile = (needs: { path: string; older: number; clock: Clock }) => {
  const { path, older, clock } = needs;
  let waiting = '';
  let dropped = 0;
  let writing: Promise<void> | null = null;
  let flush: (() => void) | undefined;

  const writeOut = async (text: string) => {
    const handle = await openLog(path);
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) return;
      if ((stats.mode & 0o077) !== 0) await handle.chmod(0o600);
      await handle.appendFile(text);
      if (stats.size + Buffer.byteLength(text) > maxLogBytes) await setAside(path, older);
    } finally {
      await handle.close();
    }
  };

  const gather = () =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(gatherMs, resolve);
      flush = () => {
        cancel();
        resolve();
      };
    });

  const drain = async () => {
    await gather();
    while (waiting !== '' || dropped > 0) {
      const note = dropped > 0 ? `… ${dropped} lines left out …\n` : '';
      const text = note + waiting;
      waiting = '';
      dropped = 0;
      await writeOut(text).catch(() => {});
    }
    writing = null;
  };

  return {
    line: (text: string) => {
      if (waiting.length > maxWaitingLength) dropped += 1;
      else waiting += `${text}\n`;
      writing ??= drain();
    },
    settled: async () => {
      flush?.();
      await writing;
    },
  };
};
