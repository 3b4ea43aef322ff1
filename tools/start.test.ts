import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const versions = z.record(z.string(), z.string());
const lockfile = z.object({
  importers: z.record(
    z.string(),
    z.object({
      dependencies: z.record(z.string(), z.object({ version: z.string() })).default({}),
      optionalDependencies: z.record(z.string(), z.object({ version: z.string() })).default({}),
    }),
  ),
  snapshots: z.record(
    z.string(),
    z.object({ dependencies: versions.default({}), optionalDependencies: versions.default({}) }),
  ),
});

const text = readFileSync(new URL('../pnpm-lock.yaml', import.meta.url), 'utf8');
const { importers, snapshots } = lockfile.parse(parse(text));

/** What `pnpm start` installs: as `pnpm install --prod` without other versions of Node. */
const installed = (): string[] => {
  const found = new Set<string>();
  const add = (name: string, version: string) => {
    const key = [`${name}@${version}`, version].find((one) => one in snapshots);
    if (key === undefined || found.has(key)) return;
    found.add(key);
    const { dependencies = {}, optionalDependencies = {} } = snapshots[key] ?? {};
    for (const [next, at] of Object.entries({ ...dependencies, ...optionalDependencies })) add(next, at);
  };
  for (const [folder, { dependencies, optionalDependencies }] of Object.entries(importers)) {
    if (['tools/node', 'e2e/nodes'].includes(folder)) continue;
    for (const [name, { version }] of Object.entries({ ...dependencies, ...optionalDependencies }))
      add(name, version);
  }
  return [...found];
};

it('pnpm start installs what is built and run, and nothing of the tests and checks', () => {
  const names = installed().map((key) => key.replace(/(?<=.)@.*$/, ''));
  const ofTests =
    /^(vitest|happy-dom|playwright.*|node-(linux|darwin|win|bin)-.*|node-2\d|mcp-remote|mcp-proxy|supergateway|eslint|knip|jscpd|ox(lint|fmt)|vue-tsc|fast-check|@vue\/test-utils|@modelcontextprotocol\/(inspector|conformance|server-.*))$/;
  expect(names.filter((name) => ofTests.test(name))).toEqual([]);
  // Of all systems together; about 550 on one, which are 325 MB.
  expect(names.length).toBeGreaterThan(300);
  expect(names.length).toBeLessThan(775);
});
