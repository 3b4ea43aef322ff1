import { defineProject } from 'vitest/config';
import { onWorkers } from '../../tools/test-workers.ts';

export default defineProject({
  test: {
    name: 'agent',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 60_000,
    isolate: false,
    ...onWorkers,
    // What is awaited comes late on a busy machine, and one second is no promise of ours.
    expect: { poll: { timeout: 30_000 } },
  },
});
