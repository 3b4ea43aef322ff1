import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packedManifest, shrinkwrapFile } from './pack.ts';

// `pnpm --filter @drawbridge/daemon shrinkwrap` after a change of a packed dependency: asks the registry.
const draft = mkdtempSync(join(tmpdir(), 'drawbridge-shrinkwrap-'));
try {
  const manifest = await packedManifest(import.meta.dirname);
  writeFileSync(join(draft, 'package.json'), JSON.stringify(manifest));
  const flags = ['--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...flags, '--omit-lockfile-registry-resolved'], {
    cwd: draft,
    stdio: 'inherit',
  });
  const lock = readFileSync(join(draft, 'package-lock.json'), 'utf8');
  writeFileSync(join(import.meta.dirname, shrinkwrapFile), lock);
} finally {
  rmSync(draft, { recursive: true });
}
