import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readOrCreate } from './read-or-create.ts';

/** The secret that signs cookies: made once, kept in `dataDir` and readable by this user alone. */
export const readSecret = (dataDir: string): string =>
  readOrCreate(join(dataDir, 'auth-secret'), () => randomBytes(32).toString('base64url'));
