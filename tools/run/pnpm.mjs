// Runs the pnpm that runs this script, which need not be in PATH: `node tools/run/pnpm.mjs <arguments>`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** With its version, such as `pnpm@10.1.2`. */
const { packageManager } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Command and first arguments of pnpm. */
export const pnpmCommand = () => {
  const own = process.env.npm_execpath;
  return own?.includes('pnpm') ? [process.execPath, own] : ['npx', '--yes', packageManager];
};

/** For every pnpm and turbo of our scripts: nothing is reported, and nothing asks for an update. */
const quiet = {
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
};

/** Starts pnpm in the checkout, with variables beside those of this process. */
export const startPnpm = (args, { stdio, env = {}, detached = false }) => {
  const [command, ...before] = pnpmCommand();
  return spawn(command, [...before, ...args], {
    cwd: root,
    env: { ...process.env, ...quiet, ...env },
    stdio,
    detached,
  });
};

/** Runs pnpm in the checkout and gives what it wrote; rejects with that when it fails. */
export const pnpm = (...args) =>
  new Promise((resolve, reject) => {
    const child = startPnpm(args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))));
  });

/** Runs pnpm in the checkout on this terminal; resolves with its exit code. */
export const showPnpm = (...args) =>
  new Promise((resolve, reject) => {
    const child = startPnpm(args, { stdio: 'inherit' });
    // A terminal sends Ctrl-C to both; what is sent to this process alone is passed on.
    process.on('SIGINT', () => {});
    process.on('SIGTERM', () => child.kill('SIGTERM'));
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.exitCode = await showPnpm(...process.argv.slice(2));
