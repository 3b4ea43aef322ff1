// Runs the pnpm that runs this script, which need not be in PATH: `node tools/pnpm.mjs <arguments>`.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Command and first arguments of pnpm. */
export const pnpmCommand = () => {
  const own = process.env.npm_execpath;
  return own?.includes('pnpm') ? [process.execPath, own] : ['npx', '--yes', 'pnpm@10'];
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command, ...before] = pnpmCommand();
  const child = spawn(command, [...before, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.once('close', (code) => process.exit(code ?? 1));
}
