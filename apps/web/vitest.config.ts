import { mergeConfig } from 'vite';
import { defineProject } from 'vitest/config';
import base from './vite.config.ts';

export default mergeConfig(
  base,
  defineProject({
    test: {
      name: 'web',
      environment: 'happy-dom',
      include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    },
  }),
);
