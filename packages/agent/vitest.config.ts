import { defineProject } from 'vitest/config';

export default defineProject({
  test: {
    name: 'agent',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    isolate: false,
    // What is awaited comes late on a busy machine, and one second is no promise of ours.
    expect: { poll: { timeout: 10_000 } },
  },
});
