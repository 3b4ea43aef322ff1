import { defineConfig } from 'vitest/config';
import { folderOfRun } from './tools/folder-of-run.ts';
import { onWorkers } from './tools/test-workers.ts';

// Workers and the programs that tests start share what was compiled.
process.env.NODE_COMPILE_CACHE = folderOfRun('compiled');

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'apps/server/vitest.postgres.config.ts', 'e2e', 'tools'],
    ...onWorkers,
    fsModuleCache: true,
    reporters: ['default', './e2e/reporter.ts'],
  },
});
