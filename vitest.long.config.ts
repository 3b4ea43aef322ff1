import { defineConfig } from 'vitest/config';
import { folderOfRun } from './tools/folder-of-run.ts';
import { onWorkers } from './tools/test-workers.ts';

// Workers and the programs that tests start share what was compiled.
process.env.NODE_COMPILE_CACHE = folderOfRun('compiled');

// What takes long or needs much of a machine: `pnpm test` is what a person waits for.
export default defineConfig({
  test: {
    name: 'long',
    include: ['{apps/server/test,e2e,tools}/**/*.long.ts'],
    ...onWorkers,
    globalSetup: ['./e2e/browser-of-run.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    env: { TEST_HOMES: folderOfRun('homes') },
    reporters: ['default', './e2e/reporter.ts'],
  },
});
