import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isPrivate } from './is-private.ts';
import { nodePackages, type NodePackage } from './node-packages.ts';
import { leastNode } from './node-version.ts';
import { broughtNodeFolder, privateFolderOf } from './places.ts';

// This runs on the old Node, so it uses nothing that 18 does not have.

const npmMs = 10 * 60_000;
const own = process.versions.node;

const say = (text: string): void => void process.stderr.write(text);

const fail = (reason: string): never => {
  say(`error  Node ${own} is too old, and ${reason}\n`);
  say(`next   Install Node ${leastNode.join('.')} or newer, for example from nodejs.org.\n`);
  process.exit(1);
};

/** What npm installs, with the hash that it checks. */
const writeManifests = (folder: string, { name, version, integrity }: NodePackage): void => {
  const dependencies = { [name]: version };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity } };
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, requires: true, packages }),
  );
};

/** Installs beside its place, and moves it there whole. */
const install = async (wanted: NodePackage, folder: string): Promise<void> => {
  const draft = `${folder}.${process.pid}`;
  const show = () => say(`\r\u001B[KInstalling Node ${wanted.version}…`);
  if (process.stderr.isTTY) show();
  try {
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    writeManifests(draft, wanted);
    const flags = [
      'ci',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--no-update-notifier',
      '--loglevel=error',
    ];
    await promisify(execFile)('npm', [...flags, '--prefix', draft], { cwd: draft, timeout: npmMs });
    rmSync(folder, { recursive: true, force: true });
    renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
    if (process.stderr.isTTY) say('\r\u001B[K');
  }
};

/** Runs this program again with another Node, and ends as that ends. */
const continueWith = (node: string): void => {
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal sends Ctrl-C to both; what is sent to this process alone is passed on.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  child.once('close', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
};

/** Installs a newer Node in the private folder unless it is there, and continues with it. */
export const bringNode = async (): Promise<void> => {
  const system = `${process.platform}-${process.arch}`;
  const wanted = nodePackages[system];
  if (wanted === undefined) return fail(`the npm registry has none for ${system}.`);
  const home = privateFolderOf(homedir());
  mkdirSync(home, { recursive: true, mode: 0o700 });
  if (!isPrivate(home)) fail(`others can write in ${home}, where a newer one would be installed.`);
  const folder = join(broughtNodeFolder(home), wanted.version);
  const node = join(
    folder,
    'node_modules',
    wanted.name,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (!existsSync(node)) {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    await install(wanted, folder).catch((error: Error & { stderr?: string }) => {
      const [words = error.message] = (error.stderr ?? '').split('\n').filter((line) => line.trim() !== '');
      fail(`npm could not install a newer one (${words}).`);
    });
    say(
      `Node ${own} is too old for drawbridge: continuing with Node ${wanted.version}, installed in ${dirname(folder)}.\n`,
    );
  }
  continueWith(node);
};
