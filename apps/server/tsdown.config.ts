import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: 'src/main.ts',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  outDir: 'dist',
  fixedExtension: false,
  deps: { alwaysBundle: [/^@drawbridge\//] },
  clean: true,
  dts: false,
});
