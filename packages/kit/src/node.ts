export { createCollector, runtimeHeap, type Collector, type Heap } from './collector.ts';
export { createScrubber, withoutKeys, type Scrubber } from './scrub.ts';
