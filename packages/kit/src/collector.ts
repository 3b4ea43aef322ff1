import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nextMacrotask } from './time/clock.ts';

/** The memory that JavaScript's objects have, in bytes. */
export interface Heap {
  usedBytes(): number;
  /** Runs a full collection. */
  collect(): void;
  /** The same, and gives back to the system what is free: for a process that has just started. */
  shrink(): void;
}

/** A collection of a larger heap would block the event loop for long, and free little in proportion. */
const largeHeapBytes = 64 * 1024 * 1024;

/**
 * Collects once `enoughBytes` were dropped: V8 alone would keep dozens of large texts. Decision 31.
 * Paid by bench/results.md: "24 results of 1 MiB at once: peak memory of the server / daemon above idle".
 */
export const createCollector = (heap: Heap, enoughBytes: number) => {
  let bytes = 0;
  let due: Promise<void> | null = null;

  const collect = () => {
    due = null;
    bytes = 0;
    heap.collect();
  };

  return {
    /**
     * `bytes`: the size of the text, possibly referenced until the end of this event loop turn.
     * Resolves after the collection that was due: await it before the next large text.
     */
    dropped: async (more: number) => {
      bytes += more;
      if (bytes < enoughBytes || heap.usedBytes() > largeHeapBytes) return;
      await (due ??= nextMacrotask().then(collect));
    },
  };
};

/**
 * Collects once the heap has grown by half of what is in use; V8 alone lets a small one grow to four times
 * that. For a process with little in use: each collection marks all of it. Decision 41.
 * Paid by bench/results.md: "memory of our daemon after that load".
 */
export const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=50');

/** Collects garbage early where large texts were dropped. */
export type Collector = ReturnType<typeof createCollector>;

/** The heap of this process. */
export const runtimeHeap = (): Heap => {
  setFlagsFromString('--expose-gc');
  // Only a context that is created after the flag was set has `gc`.
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // Without any argument it is the usual one; `undefined` collects the young generation alone.
  const run = (...options: object[]) => void (typeof found === 'function' && found(...options));
  return {
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect: () => run(),
    shrink: () => run({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  };
};
