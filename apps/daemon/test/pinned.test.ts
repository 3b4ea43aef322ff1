import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';

const folder = join(import.meta.dirname, '..');
const packed = (file: string): unknown =>
  JSON.parse(
    execFileSync('tar', ['-xzOf', join(folder, 'dist/daemon.tgz'), `package/${file}`], { encoding: 'utf8' }),
  );
const names = z.record(z.string(), z.string()).default({});
const manifest = z.object({ dependencies: names, optionalDependencies: names }).parse(packed('package.json'));
const { packages } = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string(),
        integrity: z.string().optional(),
        hasInstallScript: z.boolean().optional(),
        os: z.array(z.string()).optional(),
        dependencies: names,
        optionalDependencies: names,
      }),
    ),
  })
  .parse(packed('npm-shrinkwrap.json'));
const installed = Object.entries(packages)
  .filter(([path]) => path !== '')
  .map(([path, about]) => ({ name: path.replace(/^node_modules\//, ''), ...about }));
const named = { ...manifest.dependencies, ...manifest.optionalDependencies };

it('NK-03: an install of the packed daemon brings one version of each package, and no other', () => {
  expect(installed.length).toBeGreaterThan(40);
  const exactly = new Map(
    installed.flatMap((one) => Object.entries({ ...one.dependencies, ...one.optionalDependencies })),
  );
  for (const { name, version, os } of installed)
    expect([name, os === undefined ? named[name] : exactly.get(name)]).toEqual([name, version]);
  // What a package asks for is there.
  const there = new Set(installed.map(({ name }) => name));
  expect([...exactly.keys()].filter((name) => !there.has(name))).toEqual([]);
});

it('NK-03: these are the packages of the lockfile, which the tests ran with, byte for byte', () => {
  const lock = readFileSync(join(folder, '../../pnpm-lock.yaml'), 'utf8');
  const hashes = new Map(
    [...lock.matchAll(/^ {2}'?([^\s']+)'?:\n {4}resolution: \{integrity: ([^,}]+)/gm)].map(
      ([, name = '', hash = '']) => [name, hash],
    ),
  );
  for (const { name, version, integrity } of installed)
    expect([name, integrity]).toEqual([name, hashes.get(`${name}@${version}`)]);
});

it('NK-03: one package alone has a script for the install, and our own installs run none', () => {
  expect(installed.filter((one) => one.hasInstallScript).map(({ name }) => name)).toEqual(['@jitsi/robotjs']);
  expect(readFileSync(join(folder, 'src/install/npm.ts'), 'utf8')).toContain("'--ignore-scripts',");
});
