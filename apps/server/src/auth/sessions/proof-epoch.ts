import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { z } from 'zod';

/** So long a server may be stopped, as for an update, until another program may have answered at its port. */
export const shortStopMs = 60_000;

const stored = z.object({
  /** Part of the key of proofs; empty until the first long stop. */
  epoch: z.string(),
  /** Null while a server runs, and after one that was killed. */
  stoppedAt: z.number().nullable(),
});
type Stored = z.infer<typeof stored>;

const fileIn = (dataDir: string) => join(dataDir, 'proof-epoch.json');

const read = (dataDir: string): Stored => {
  try {
    return stored.parse(JSON.parse(readFileSync(fileIn(dataDir), 'utf8')));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { epoch: '', stoppedAt: null };
    // One that cannot be read proves nothing.
    return { epoch: nanoid(), stoppedAt: null };
  }
};

const write = (dataDir: string, state: Stored): void =>
  writeFileSync(fileIn(dataDir), `${JSON.stringify(state)}\n`, { mode: 0o600 });

interface Place {
  dataDir: string;
  /** Present: one of several servers. */
  redisUrl?: string | undefined;
}

/**
 * What session proofs are bound to beside the secret. Of several servers all have the same: browsers speak to
 * their balancer, not to the port of one.
 */
export const readProofEpoch = ({ dataDir, redisUrl }: Place): string =>
  redisUrl === undefined ? read(dataDir).epoch : '';

interface Needs {
  dataDir: string;
  /** Absent: http on this machine or its network. */
  publicUrl?: string | undefined;
  clock: Clock;
}

/**
 * Follows the run of a server. Over plain http a browser cannot tell it from another program at its port:
 * after a long stop, or where one had the port, all proofs end, so that a captured one is worth nothing.
 */
export const followProofEpoch = ({ dataDir, publicUrl, clock }: Needs) => {
  const { epoch: before, stoppedAt } = read(dataDir);
  const wasLong = stoppedAt !== null && clock.now() - stoppedAt > shortStopMs;
  const ends = wasLong && publicUrl?.startsWith('https:') !== true;
  const epoch = ends ? nanoid() : before;
  // Before it listens, so that a start which comes to nothing ends them too.
  if (ends) write(dataDir, { epoch, stoppedAt });
  let isListening = false;
  return {
    /** Opens the port. What it rejects with is passed on. */
    listen: async <T>(open: () => Promise<T>): Promise<T> => {
      try {
        const opened = await open();
        write(dataDir, { epoch, stoppedAt: null });
        isListening = true;
        return opened;
      } catch (error) {
        if (hasCode(error, 'EADDRINUSE')) write(dataDir, { epoch, stoppedAt: 0 });
        throw error;
      }
    },
    stop: (): void => {
      if (!isListening) return;
      try {
        write(dataDir, { epoch, stoppedAt: clock.now() });
      } catch {
        // A full disk: the next run cannot tell it from a kill.
      }
    },
  };
};
