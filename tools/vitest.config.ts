import { defineProject } from 'vitest/config';
import { onWorkers } from './test-workers.ts';

export default defineProject({
  test: { name: 'tools', include: ['*.test.ts'], testTimeout: 60_000, isolate: false, ...onWorkers },
});
