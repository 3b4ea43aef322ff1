import { readFileSync } from 'node:fs';
import { release, type Release } from '@drawbridge/contracts/release';

/** The release that a package is of, by its `package.json`; null where there is none that can be read. */
export const readRelease = (manifest: string | URL): Release | null => {
  try {
    return release.parse(JSON.parse(readFileSync(manifest, 'utf8')));
  } catch {
    return null;
  }
};
