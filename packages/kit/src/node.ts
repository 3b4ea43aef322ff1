export { createCollector, keepHeapSmall, runtimeHeap, type Collector, type Heap } from './collector.ts';
export { createScrubber, withoutKeys, withoutTokens, type Scrubber } from './scrub.ts';
