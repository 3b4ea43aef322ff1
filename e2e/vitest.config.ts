import { defineProject } from 'vitest/config';

// One file at a time: each starts a server, a daemon and often a browser.
export default defineProject({
  test: {
    name: 'e2e',
    include: ['**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    fileParallelism: false,
  },
});
