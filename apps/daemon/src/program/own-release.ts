import { release, type Release } from '@drawbridge/contracts/release';
import { parseJson } from '../text/parse-json.ts';
import { readQuietly } from './quiet-files.ts';

/** The release in a `package.json`; null when it cannot be read. */
export const readRelease = (manifest: string | URL): Release | null =>
  parseJson(release, readQuietly(manifest)) ?? null;
