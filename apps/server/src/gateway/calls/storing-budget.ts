import type { CallVia } from '@drawbridge/contracts/calls';
import { createBoundedMap, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';

const dayMs = 24 * 60 * 60 * 1_000;
const mostMakers = 100_000;

/** Who makes calls: a token, a client, or a person who is signed in. */
interface Maker {
  userId: string;
  via: Pick<CallVia, 'kind' | 'id'> | null;
}

const keyOf = ({ userId, via }: Maker): string => JSON.stringify([userId, via?.kind, via?.id]);

/** How many bytes the calls of one maker may store in one day, by UTC. Begins anew with the process. */
export const createStoringBudget = ({ clock, bytesPerDay }: { clock: Clock; bytesPerDay: number }) => {
  const used = createBoundedMap<string, number>({ maxEntries: mostMakers });
  let day = 0;
  const today = () => {
    const now = Math.floor(clock.now() / dayMs);
    if (now !== day) for (const [key] of used) used.delete(key);
    day = now;
    return used;
  };
  return {
    /** Counts what a call has stored: arguments or a result, in bytes. */
    count: (maker: Maker, bytes: number): void => {
      const key = keyOf(maker);
      today().set(key, (used.get(key) ?? 0) + bytes);
    },
    /** Throws `storedTooMuch`, with the time to wait, where that many bytes are too many today. */
    require: (maker: Maker, bytes: number): void => {
      if ((today().get(keyOf(maker)) ?? 0) + bytes <= bytesPerDay) return;
      const retryAfterSeconds = Math.ceil(((day + 1) * dayMs - clock.now()) / 1_000);
      throw errors.storedTooMuch({ retryAfterSeconds });
    },
  };
};

export type StoringBudget = ReturnType<typeof createStoringBudget>;
