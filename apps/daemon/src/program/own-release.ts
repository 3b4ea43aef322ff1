import { readFileSync } from 'node:fs';
import { release, type Release } from '@drawbridge/contracts/release';

/** The release in a `package.json`; null when it cannot be read. */
export const readRelease = (manifest: string | URL): Release | null => {
  try {
    return release.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  } catch {
    return null;
  }
};
