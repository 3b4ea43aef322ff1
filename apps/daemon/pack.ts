import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const manifest = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  engines: z.record(z.string(), z.string()),
  /** What cannot go into the bundle. */
  dependencies: z.record(z.string(), z.string()),
  /** The same, where drawbridge runs without: an install goes on when one of these has no binary for the system. */
  optionalDependencies: z.record(z.string(), z.string()),
});
const versioned = z.object({ version: z.string() });

/** What stands beside the bundle and goes with it. */
export const noticesFile = 'THIRD-PARTY-NOTICES';

const readJson = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'));

/** Packs what was built into `dist/daemon.tgz`: installs and runs anywhere with Node and a registry. */
export const pack = async (folder: string): Promise<void> => {
  const dist = join(folder, 'dist');
  const staged = join(dist, 'package');
  const manifestOfOurs = manifest.parse(await readJson(join(folder, 'package.json')));
  const installed = async (dependency: string) =>
    versioned.parse(await readJson(join(folder, 'node_modules', dependency, 'package.json'))).version;
  const { name, version, license, engines } = manifestOfOurs;
  const pinned = async (wanted: Record<string, string>) =>
    Object.fromEntries(
      await Promise.all(Object.keys(wanted).map(async (one) => [one, await installed(one)])),
    );
  await rm(staged, { recursive: true, force: true });
  await mkdir(join(staged, 'dist'), { recursive: true });
  for (const file of await readdir(dist)) {
    if (file.endsWith('.cjs')) await copyFile(join(dist, file), join(staged, 'dist', file));
  }
  await copyFile(join(folder, '../../LICENSE'), join(staged, 'LICENSE'));
  await copyFile(join(dist, noticesFile), join(staged, noticesFile));
  const packed = {
    name,
    version,
    license,
    engines,
    type: 'module',
    bin: { drawbridge: 'dist/cli.cjs' },
    files: ['dist', noticesFile],
    dependencies: await pinned(manifestOfOurs.dependencies),
    optionalDependencies: await pinned(manifestOfOurs.optionalDependencies),
  };
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', dist], {
    cwd: staged,
  });
  const [{ filename }] = z.tuple([z.object({ filename: z.string() })]).parse(JSON.parse(stdout));
  await rename(join(dist, filename), join(dist, 'daemon.tgz'));
  await rm(staged, { recursive: true, force: true });
};
