import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hasCode } from '@drawbridge/kit';

/** The text of a file that only this user can read; `create` makes the text where there is no file yet. */
export const readOrCreate = (file: string, create: () => string): string => {
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
