import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installWithPnpm } from './pnpm.mjs';
import { step } from './step.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const modules = join(root, 'node_modules');

/** What decides what is installed. */
const wanted = () => {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
};

/** Whether the packages of the tests are here already: `start` keeps them then. */
const hasEverything = () => {
  const file = join(modules, '.modules.yaml');
  // pnpm writes JSON into it, which is YAML too.
  return existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).included?.devDependencies === true;
};

// What is installed for `start` makes place for what `test` needs; there is nothing to be asked about.
const options = [
  'install',
  '--frozen-lockfile',
  '--prefer-offline',
  '--reporter=append-only',
  '--config.confirmModulesPurge=false',
];
const without = (name) => ['--filter', `!@drawbridge/${name}`];
/** Each other Node is 190 MB, and most runs need none of them. The one that this script runs on stays. */
const others = (purpose) => {
  if (purpose === 'all') return [];
  return [...without('nodes'), ...(existsSync(join(root, 'tools/node/node_modules')) ? [] : without('node'))];
};

/**
 * Installs what is not here yet: `start` without the packages of tests and checks, `test` with them, `all` with the
 * versions of Node that the smoke test runs on.
 */
export const installFor = async (purpose) => {
  const stampOf = (name) => join(modules, `.installed-${name}`);
  const isInstalled = (name) => existsSync(stampOf(name)) && readFileSync(stampOf(name), 'utf8') === wanted();
  if (isInstalled(purpose) || isInstalled('all')) return;
  const only = purpose === 'start' && !hasEverything() ? ['--prod'] : [];
  await step('Installing packages', async () => {
    await installWithPnpm([...options, ...only, ...others(purpose)]);
    writeFileSync(stampOf(purpose), wanted());
  });
};
