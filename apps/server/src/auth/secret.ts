import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT';
const exists = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** The secret that signs cookies: made once, kept in `dataDir` and readable by this user alone. */
export const readSecret = (dataDir: string): string => {
  const file = join(dataDir, 'auth-secret');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const secret = randomBytes(32).toString('base64url');
  try {
    writeFileSync(file, `${secret}\n`, { mode: 0o600, flag: 'wx' });
    return secret;
  } catch (error) {
    // Another server on the same folder was first.
    if (exists(error)) return readFileSync(file, 'utf8').trim();
    throw error;
  }
};
