import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'e2e', 'tools'],
    // Two cores are busy with three: tests of whole processes wait for much.
    maxWorkers: 3,
    fsModuleCache: true,
    reporters: ['default', './e2e/reporter.ts'],
  },
});
