#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write('error  The server is not built yet. Run npx --yes pnpm@10 build\n');
  process.exitCode = 1;
}
