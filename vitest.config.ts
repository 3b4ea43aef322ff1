import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: ['packages/*', 'apps/*', 'e2e', 'tools'],
    reporters: ['default', './e2e/reporter.ts'],
  },
});
