import { defineConfig } from 'tsdown';

// What is started as a process of its own: plain Node, so that no compiler counts as its memory or its start.
export default defineConfig({
  entry: ['bare-server', 'bare-daemon', 'bare-panel', 'memory', 'storm-clients'].map(
    (name) => `src/processes/${name}.ts`,
  ),
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outDir: 'dist',
  fixedExtension: false,
  deps: { alwaysBundle: [/^@drawbridge\//] },
  clean: true,
  dts: false,
});
