import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { nodePackages } from './node-packages.ts';
import { isNewEnough, leastNode } from './node-version.ts';

it('the Node that is brought is that of the lockfile, to the hash', () => {
  const lockfile = readFileSync(new URL('../../../../pnpm-lock.yaml', import.meta.url), 'utf8');
  for (const { name, version, integrity } of Object.values(nodePackages).filter((one) => one !== undefined)) {
    expect(lockfile).toContain(`\n  ${name}@${version}:\n    resolution: {integrity: ${integrity}}`);
    expect(isNewEnough(version)).toBe(true);
  }
  expect(manifest.engines.node).toBe(`>=${leastNode.join('.')}`);
});
