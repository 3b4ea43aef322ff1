// `pnpm start`: installs dependencies, builds what is out of date, and runs the server. Plain JavaScript
// without packages, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pnpmCommand } from './pnpm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(root, 'node_modules');
const stamp = join(modules, '.start');
const entry = join(root, 'apps/server/dist/main.js');

/** What decides what is installed. */
const wanted = () => {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
};

const isInstalled = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted();

/** Whether the tests' packages are here already: they stay then. */
const hasEverything = () => {
  const file = join(modules, '.modules.yaml');
  // pnpm writes JSON into it, which is YAML too.
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).included?.devDependencies === true;
};

/** Runs pnpm and gives what it wrote; throws with that when it fails. */
const pnpm = (...args) =>
  new Promise((resolve, reject) => {
    const [command, ...before] = pnpmCommand();
    const child = spawn(command, [...before, ...args], {
      cwd: root,
      env: { ...process.env, WIREIT_LOGGER: 'simple', WIREIT_CACHE: 'none' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))));
  });

const isTerminal = process.stderr.isTTY === true;
const startedAt = performance.now();
const seconds = () => `${Math.round((performance.now() - startedAt) / 1_000)} s`;

/** Runs one step, with its elapsed time on a terminal; ends the process if the step fails. */
const step = async (doing, run) => {
  const show = () => process.stderr.write(`\r\u001b[K${doing}… ${seconds()}`);
  const ticking = isTerminal ? setInterval(show, 1_000) : undefined;
  if (isTerminal) show();
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${isTerminal ? '\r\u001b[K' : ''}${String(error.message).trimEnd()}\n`);
    process.stderr.write(`error  ${doing} failed. The reason stands above.\n`);
    process.exit(1);
  } finally {
    clearInterval(ticking);
    if (isTerminal) process.stderr.write('\r\u001b[K');
  }
};

if (!isInstalled()) {
  // A second Node, which is for tests, is an optional dependency: not every system has it.
  const only = hasEverything() ? [] : ['--prod', '--filter', '!@drawbridge/node22'];
  await step('Installing packages', async () => {
    await pnpm('install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only', ...only);
    writeFileSync(stamp, wanted());
  });
}
await step('Building', () => pnpm('--silent', 'build:start'));
await import(pathToFileURL(entry).href);
