import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hasCode } from '@drawbridge/kit';

/** The text of a file that only this user can read; `create` makes the text where there is no file yet. */
const readOrCreate = (file: string, create: () => string): string => {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const text = create();
  try {
    writeFileSync(file, `${text}\n`, { mode: 0o600, flag: 'wx' });
    return text;
  } catch (error) {
    // Another server on the same folder was first.
    if (hasCode(error, 'EEXIST')) return readFileSync(file, 'utf8').trim();
    throw error;
  }
};

/** The secret that signs cookies: made once, kept in `dataDir` and readable by this user alone. */
export const readSecret = (dataDir: string): string =>
  readOrCreate(join(dataDir, 'auth-secret'), () => randomBytes(32).toString('base64url'));
