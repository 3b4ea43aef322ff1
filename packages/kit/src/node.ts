export { createCollector, runtimeHeap, type Collector, type Heap } from './collector.ts';
