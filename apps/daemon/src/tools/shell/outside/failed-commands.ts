import type { Clock } from '@drawbridge/kit';
import { createBoundedMap } from '@drawbridge/kit';
import { nanoid } from 'nanoid';

const keptMs = 10 * 60_000;
const maxEntries = 100;

/** A command that failed in the sandbox, and why in words of the daemon. */
export interface FailedCommand {
  /** No rule that was ever written has it. */
  id: string;
  words: readonly string[];
}

type Entry =
  | { kind: 'failed'; at: number; failed: FailedCommand; isAsked: boolean }
  | { kind: 'denied'; at: number };

/** Commands that may be asked about outside of the sandbox, each by its resource: folder and exact text. */
export const createFailedCommands = (clock: Clock) => {
  const entries = createBoundedMap<string, Entry>({ maxEntries });
  const isRecent = ({ at }: Entry): boolean => clock.now() - at < keptMs;
  const find = (resource: string): Entry | undefined => {
    const entry = entries.get(resource);
    const stays = entry !== undefined && (isRecent(entry) || (entry.kind === 'failed' && entry.isAsked));
    return stays ? entry : undefined;
  };
  return {
    failed: (resource: string, words: readonly string[]) => {
      // A question about it, and a denial, stay as they are.
      if (words.length === 0 || find(resource) !== undefined) return;
      const failed = { id: nanoid(), words };
      entries.set(resource, { kind: 'failed', at: clock.now(), failed, isAsked: false });
    },
    find,
    asked: (resource: string) => {
      const entry = find(resource);
      if (entry?.kind === 'failed') entry.isAsked = true;
    },
    /** It runs: another time it has to fail again before. */
    started: (resource: string) => void entries.delete(resource),
    denied: (resource: string) => entries.set(resource, { kind: 'denied', at: clock.now() }),
  };
};

export type FailedCommands = ReturnType<typeof createFailedCommands>;
