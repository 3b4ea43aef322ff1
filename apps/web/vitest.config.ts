import { mergeConfig } from 'vite';
import { defineProject } from 'vitest/config';
import base from './vite.config.ts';
import { onWorkers } from '../../tools/test-workers.ts';

export default mergeConfig(
  base,
  defineProject({
    test: {
      name: 'web',
      environment: 'happy-dom',
      // Tests speak with a fixture on another port than the page's.
      environmentOptions: { happyDOM: { settings: { fetch: { disableSameOriginPolicy: true } } } },
      setupFiles: ['test/setup.ts'],
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
      testTimeout: 60_000,
      isolate: false,
      ...onWorkers,
      // What is awaited comes late on a busy machine, and one second is no promise of ours.
      expect: { poll: { timeout: 30_000 } },
    },
  }),
);
