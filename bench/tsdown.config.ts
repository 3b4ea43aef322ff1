import { defineConfig } from 'tsdown';

const built = {
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  fixedExtension: false,
  clean: true,
  dts: false,
} as const;

// The programs of separate processes: plain Node, so that no compiler affects memory, start or speed.
export default defineConfig([
  {
    ...built,
    entry: ['bare-server', 'bare-daemon', 'bare-panel', 'memory', 'storm-clients'].map(
      (name) => `src/processes/${name}.ts`,
    ),
    outDir: 'dist/processes',
    deps: { alwaysBundle: [/^@drawbridge\//] },
  },
  {
    ...built,
    entry: 'src/our-server.ts',
    outDir: 'dist/our-server',
    // What the server depends on is not found from here; a binary is no text that could be put in.
    deps: { alwaysBundle: [/./], neverBundle: ['libsql'] },
  },
]);
