import { defineProject } from 'vitest/config';
import { folderOfRun } from '../tools/folder-of-run.ts';
import { onWorkers } from '../tools/test-workers.ts';

// Files run side by side, a few at a time (vitest.config.ts): each has ports, folders and a home of its own.
export default defineProject({
  test: {
    name: 'e2e',
    include: ['**/*.test.ts'],
    globalSetup: ['./browser-of-run.ts', './store-of-run.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
    ...onWorkers,
    // What is awaited comes late on a busy machine, and one second is no promise of ours.
    expect: { poll: { timeout: 30_000 } },
    env: { TEST_STORES: folderOfRun('stores'), TEST_HOMES: folderOfRun('homes') },
  },
});
