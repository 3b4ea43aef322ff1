import { defineConfig } from 'tsdown';
import { pack } from './pack.ts';

export default defineConfig({
  entry: 'src/cli.ts',
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // write-file-atomic names its temporary files after __filename.
  shims: true,
  outExtensions: () => ({ js: '.js' }),
  // Everything goes in but ripgrep, which carries a binary for each system.
  deps: { alwaysBundle: /^(?!@vscode\/ripgrep|node:)/, neverBundle: /^@vscode\/ripgrep/, onlyBundle: false },
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  dts: false,
  hooks: { 'build:done': () => pack(import.meta.dirname) },
});
