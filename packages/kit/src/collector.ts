import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nextMacrotask } from './clock.ts';

/** The memory that JavaScript's objects have, in bytes. */
export interface Heap {
  usedBytes(): number;
  /** Gives back what nobody holds any more; returns when that is done. */
  collect(): void;
}

/** Hears of large texts that are done with, and gives their memory back early. */
export interface Collector {
  /**
   * `bytes`: how large the text was. Its last holder may let it go in the same turn of the event loop. Resolves when what
   * was due has been given back: whoever makes the next one waits for that, or its copies come on top.
   */
  dropped(bytes: number): Promise<void>;
}

/** With more in use a collection would hold up everything for long; what was dropped is little beside it. */
const largeHeapBytes = 64 * 1024 * 1024;

/**
 * Collects when texts of `enoughBytes` were dropped: the runtime would keep dozens of large ones.
 * Paid by bench/results.md: "24 results of 1 MiB at once: peak memory of the server / daemon above idle".
 */
export const createCollector = (heap: Heap, enoughBytes: number): Collector => {
  let bytes = 0;
  let due: Promise<void> | null = null;

  const collect = () => {
    due = null;
    bytes = 0;
    heap.collect();
  };

  return {
    dropped: async (more) => {
      bytes += more;
      if (bytes < enoughBytes || heap.usedBytes() > largeHeapBytes) return;
      await (due ??= nextMacrotask().then(collect));
    },
  };
};

/** The heap of this process. */
export const runtimeHeap = (): Heap => {
  setFlagsFromString('--expose-gc');
  // Only what is run in a context that is made now sees it.
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return {
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect: () => void (typeof found === 'function' && found()),
  };
};
