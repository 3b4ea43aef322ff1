import { createTransientMap, type Clock } from '@drawbridge/kit';

const minuteMs = 60_000;
/** The maximum of counted names; beyond it the least recently used one is dropped. */
const maxNames = 5_000;

/** Limits uses of a name per minute, for all protocols together. */
export const createNameLimit = ({ clock, max }: { clock: Clock; max: number }) => {
  const windows = createTransientMap<string, { uses: number; endsAt: number }>();
  return {
    /**
     * Counts one use; returns the seconds until the next one is allowed if the limit is exceeded, else null.
     */
    use: (name: string): number | null => {
      const now = clock.now();
      const known = windows.get(name);
      const window = known && now < known.endsAt ? known : { uses: 0, endsAt: now + minuteMs };
      window.uses += 1;
      windows.delete(name);
      windows.set(name, window);
      const [oldest] = windows.keys();
      if (windows.size > maxNames && oldest !== undefined) windows.delete(oldest);
      return window.uses > max ? Math.ceil((window.endsAt - now) / 1_000) : null;
    },
  };
};

export type NameLimit = ReturnType<typeof createNameLimit>;
