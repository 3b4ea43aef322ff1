import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  packed: z.object({
    /** What cannot go into the bundle. */
    dependencies: z.array(z.string()),
    /** For the packed daemon: an install continues when one of these has no binary for the system. */
    optionalDependencies: z.array(z.string()),
  }),
});

/** The packages that an install brings, with their hashes; npm reads it where the daemon is the root. */
export const shrinkwrapFile = 'npm-shrinkwrap.json';

const shrinkwrap = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.string(), optional: z.boolean().optional(), os: z.array(z.string()).optional() }),
  ),
});

/** What stands beside the bundle and goes with it. */
export const noticesFile = 'THIRD-PARTY-NOTICES';

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

/** A hash of all files below a folder and their names: 12 hex digits. */
const contentHash = async (folder: string): Promise<string> => {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  for (const path of paths.sort()) {
    hash.update(JSON.stringify([relative(folder, path)])).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 12);
};

/** Packs a staged folder into `daemon.tgz` with its build hash, and writes `daemon.json` (`packedDaemon`). */
export const seal = async (staged: string, to: string): Promise<void> => {
  const path = join(staged, 'package.json');
  const { build: _before, ...packed } = z.looseObject({ version: z.string() }).parse(await readJson(path));
  await writeFile(path, `${JSON.stringify(packed, null, 2)}\n`);
  const build = await contentHash(staged);
  await writeFile(path, `${JSON.stringify({ ...packed, build }, null, 2)}\n`);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', to], {
    cwd: staged,
  });
  const [{ filename }] = z.tuple([z.object({ filename: z.string() })]).parse(JSON.parse(stdout));
  const bytes = await readFile(join(to, filename));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await rename(join(to, filename), join(to, 'daemon.tgz'));
  const about = { version: packed.version, build, sha256, bytes: bytes.length };
  await writeFile(join(to, 'daemon.json'), `${JSON.stringify(about, null, 2)}\n`);
};

/** The version in pnpm's catalog, which names exact ones: what is packed need not be installed here. */
const versionIn = (catalog: string, dependency: string): string => {
  const lines = catalog.split('\n').map((line) => line.trim().replaceAll("'", ''));
  const line = lines.find((one) => one.startsWith(`${dependency}: `));
  if (line === undefined) throw new Error(`${dependency} is not in the catalog of pnpm-workspace.yaml`);
  return line.slice(dependency.length + 2);
};

/** The manifest of what is packed, with the dependencies that it has itself, in exact versions. */
export const packedManifest = async (folder: string) => {
  const { name, version, license, packed } = manifest.parse(await readJson(join(folder, 'package.json')));
  const catalog = await readFile(join(folder, '../../pnpm-workspace.yaml'), 'utf8');
  const pinned = (names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((one) => [one, versionIn(catalog, one)]));
  return {
    name,
    version,
    license,
    // No engines: on an older Node it brings one of its own, and npm would warn.
    type: 'module',
    bin: { drawbridge: 'dist/cli.cjs' },
    files: ['dist', noticesFile, shrinkwrapFile],
    dependencies: pinned(packed.dependencies),
    optionalDependencies: pinned(packed.optionalDependencies),
  };
};

/**
 * Adds what these bring along. Of a package from an address npm reads no shrinkwrap, so each version is named
 * in the manifest; packages for one system are named exactly by those that bring them.
 */
const withAllPinned = async <Manifest extends Awaited<ReturnType<typeof packedManifest>>>(
  own: Manifest,
  folder: string,
): Promise<Manifest> => {
  const { packages } = shrinkwrap.parse(await readJson(join(folder, shrinkwrapFile)));
  const { dependencies, optionalDependencies } = structuredClone(own);
  for (const [path, { version, optional = false, os }] of Object.entries(packages)) {
    const name = path.replace(/^node_modules\//, '');
    if (name === '' || os !== undefined) continue;
    if (name.includes('node_modules/'))
      throw new Error(`${path}: two versions of one package cannot be pinned`);
    const list = optional ? optionalDependencies : dependencies;
    list[name] ??= version;
    if (list[name] !== version) throw new Error(`${shrinkwrapFile} has another ${name}: run pnpm shrinkwrap`);
  }
  return { ...own, dependencies, optionalDependencies };
};

/** Packs what was built into `dist/daemon.tgz`: installs and runs anywhere with Node and a registry. */
export const pack = async (folder: string): Promise<void> => {
  const dist = join(folder, 'dist');
  const staged = join(dist, 'package');
  await rm(staged, { recursive: true, force: true });
  await mkdir(join(staged, 'dist'), { recursive: true });
  for (const file of await readdir(dist)) {
    if (file.endsWith('.cjs')) await copyFile(join(dist, file), join(staged, 'dist', file));
  }
  await copyFile(join(folder, '../../LICENSE'), join(staged, 'LICENSE'));
  await copyFile(join(dist, noticesFile), join(staged, noticesFile));
  await copyFile(join(folder, shrinkwrapFile), join(staged, shrinkwrapFile));
  const packed = await withAllPinned(await packedManifest(folder), folder);
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  await seal(staged, dist);
  await rm(staged, { recursive: true, force: true });
};
