import { defineConfig } from 'tsdown';
import manifest from './package.json' with { type: 'json' };
import { pack } from './pack.ts';

const outside = Object.keys(manifest.dependencies);

export default defineConfig({
  entry: 'src/cli.ts',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // write-file-atomic names its temporary files after __filename.
  shims: true,
  outExtensions: () => ({ js: '.js' }),
  // Everything goes in but the dependencies, which carry a binary for each system.
  deps: {
    alwaysBundle: new RegExp(`^(?!(${outside.join('|')})(/|$)|node:)`),
    neverBundle: new RegExp(`^(${outside.join('|')})(/|$)`),
    onlyBundle: false,
  },
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  dts: false,
  hooks: { 'build:done': () => pack(import.meta.dirname) },
});
