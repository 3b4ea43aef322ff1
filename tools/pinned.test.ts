import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');

it.each(['Dockerfile', 'deploy/assemble.sh', '.ci/run'])(
  'NK-03: %s runs the pnpm that package.json names, and no other',
  (path) => {
    const named = [...read(path).matchAll(/pnpm@[\w.]+/g)].map(([name]) => name);
    expect([...new Set(named)]).toEqual([manifest.packageManager]);
    expect(manifest.packageManager).toMatch(/^pnpm@\d+\.\d+\.\d+$/);
  },
);

it('NK-03: both stages of the image begin with one digest, of the Node that the scripts bring', () => {
  const bases = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image);
  expect(new Set(bases).size).toBe(1);
  expect(bases).toHaveLength(2);
  const [name, digest] = bases[0]?.split('@') ?? [];
  expect(name).toBe(`node:${read('.node-version').trim()}-bookworm-slim`);
  expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
});

it('NK-03: a version of a package is a week old before an install without the lockfile takes it', () => {
  const { minimumReleaseAge, onlyBuiltDependencies } = z
    .object({ minimumReleaseAge: z.number(), onlyBuiltDependencies: z.array(z.string()) })
    .parse(parse(read('pnpm-workspace.yaml')));
  expect([minimumReleaseAge, onlyBuiltDependencies]).toEqual([7 * 24 * 60, ['esbuild']]);
});

it('NK-03: the file with the keys of the server is made for root alone, before anything is written to it', () => {
  const lines = read('docs/day-two.md').split('\n');
  const at = lines.findIndex((line) => line.includes('drawbridge-server.env'));
  expect(lines[at]).toBe('sudo install -m 600 /dev/null /etc/drawbridge-server.env');
  const writes = lines.filter((line) => /(>|tee|cp) *\/etc\/drawbridge-server\.env/.test(line));
  expect(writes.every((line) => lines.indexOf(line) > at)).toBe(true);
});
