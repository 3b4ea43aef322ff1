import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { nextMacrotask } from './clock.ts';

/** The memory that JavaScript's objects have, in bytes. */
export interface Heap {
  usedBytes(): number;
  /** Runs a full garbage collection; returns when it is done. */
  collect(): void;
}

/** Frees the memory of large texts soon after their last use. */
export interface Collector {
  /**
   * Reports a dropped text; its last reference may end later in the same turn of the event loop. Resolves
   * after a collection that is due: await it before the next text, or the copies of both add up.
   */
  dropped(bytes: number): Promise<void>;
}

/** A larger heap is not collected: that takes long and frees little in proportion. */
const largeHeapBytes = 64 * 1024 * 1024;

/**
 * Collects after `enoughBytes` of dropped texts: the runtime would keep dozens of large ones.
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
  // Only a context created now sees `gc`.
  const found: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return {
    usedBytes: () => getHeapStatistics().used_heap_size,
    collect: () => void (typeof found === 'function' && found()),
  };
};
