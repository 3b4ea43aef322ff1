import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import manifest from '../package.json' with { type: 'json' };

const folder = join(import.meta.dirname, '..');
const packed = (file: string) =>
  execFileSync('tar', ['-xzOf', join(folder, 'dist/daemon.tgz'), `package/${file}`], { encoding: 'utf8' });
const { files } = z.object({ files: z.array(z.string()) }).parse(JSON.parse(packed('package.json')));

/** Packages whose values our code imports. */
const importedBy = (source: string): string[] =>
  [...source.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^'.][^']*)'/gm)].flatMap(([, from = '']) =>
    isBuiltin(from) ? [] : [/^(@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from],
  );

const sources = ['src', '../../packages/contracts/src', '../../packages/kit/src'].flatMap((where) =>
  readdirSync(join(folder, where), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(folder, where, file), 'utf8'))
    // Helpers of tests.
    .filter((source) => !source.includes("from 'vitest'")),
);

it('the packed daemon brings the notice of every package that it contains', () => {
  const { dependencies, optionalDependencies } = manifest.packed;
  const outside = new Set([...dependencies, ...optionalDependencies]);
  const notices = packed('THIRD-PARTY-NOTICES');
  const named = new Set([...notices.matchAll(/^(\S+) \d\S* \([\w.-]+\)$/gm)].map(([, name]) => name));
  const imported = new Set(sources.flatMap(importedBy));
  const contained = [...imported].filter((name) => !outside.has(name) && !name.startsWith('@drawbridge/'));
  expect(contained.length).toBeGreaterThan(8);
  expect(contained.filter((name) => !named.has(name))).toEqual([]);
  // What these bring along is there, too.
  for (const name of ['ajv', 'signal-exit']) expect(named).toContain(name);
  for (const name of outside) expect(named).not.toContain(name);
  expect(files).toContain('THIRD-PARTY-NOTICES');
});
