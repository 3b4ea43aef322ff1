import { createHash } from 'node:crypto';
import { canonical } from './canonical.ts';

export { createCollector, keepHeapSmall, runtimeHeap, type Collector, type Heap } from './collector.ts';
export { createScrubber, withoutKeys, withoutTokens, type Scrubber } from './scrub.ts';
export { entryOf, type OpenFolder } from './trees/open-folder.ts';
export { removeTree } from './trees/remove-tree.ts';
export { walkTree, type TreeVisit } from './trees/walk-tree.ts';

/** A name for a value: equal values have equal ones. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex').slice(0, 32);
