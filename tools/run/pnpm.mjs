// Runs the pnpm that runs this script, which need not be in PATH: `node tools/run/pnpm.mjs <arguments>`.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
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

const stopping = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs pnpm in the checkout; rejects with what it wrote when it fails. Gives false where it was ended because it
 * wrote nothing for `silentMs`; null: for as long as it takes.
 */
const runPnpm = (args, silentMs) =>
  new Promise((resolve, reject) => {
    // In a group of its own, which can be ended whole; Windows has none.
    const hasGroup = process.platform !== 'win32';
    const child = startPnpm(args, { stdio: ['ignore', 'pipe', 'pipe'], detached: hasGroup });
    const end = (signal) => {
      try {
        process.kill(hasGroup ? -child.pid : child.pid, signal);
      } catch {
        // It has ended already.
      }
    };
    const stop = (signal) => {
      end(signal);
      process.exit(128 + constants.signals[signal]);
    };
    let output = '';
    let isSilent = false;
    const beSilent = () => {
      isSilent = true;
      end('SIGKILL');
    };
    const wait = () => (silentMs === null ? undefined : setTimeout(beSilent, silentMs));
    let waiting = wait();
    const heard = (chunk) => {
      output += chunk;
      clearTimeout(waiting);
      waiting = wait();
    };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', heard);
    for (const signal of stopping) process.on(signal, stop);
    const over = () => {
      clearTimeout(waiting);
      for (const signal of stopping) process.off(signal, stop);
    };
    child.once('error', (error) => {
      over();
      reject(error);
    });
    child.once('close', (code) => {
      over();
      if (isSilent) resolve(false);
      else if (code === 0) resolve(true);
      else reject(new Error(output));
    });
  });

/** Runs pnpm in the checkout without showing what it writes; rejects with that when it fails. */
export const pnpm = (...args) => runPnpm(args, null);

/**
 * Runs an install. pnpm 10 sometimes waits for its own worker for ever: after two minutes of silence it is ended and
 * starts again, twice at most. What it has downloaded is kept.
 */
export const installWithPnpm = async (args, silentMs = 120_000) => {
  for (let left = 2; left > 0; left -= 1) {
    if (await runPnpm(args, silentMs)) return;
    process.stderr.write(`pnpm wrote nothing for ${silentMs / 1_000} s: it starts again.\n`);
  }
  await runPnpm(args, null);
};

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
