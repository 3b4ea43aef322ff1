import { defineConfig } from 'vitest/config';
import { maxWorkers } from './tools/test-workers.ts';

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'apps/server/vitest.postgres.config.ts', 'e2e', 'tools'],
    maxWorkers,
    fsModuleCache: true,
    reporters: ['default', './e2e/reporter.ts'],
  },
});
