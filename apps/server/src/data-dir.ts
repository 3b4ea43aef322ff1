import { join, resolve } from 'node:path';

export interface DataDirPlaces {
  /** `DATA_DIR`, if set. */
  given: string | undefined;
  /** `XDG_DATA_HOME`, if set. */
  dataHome: string | undefined;
  /** Throws for a user without a home folder. */
  home(): string;
  cwd: string;
  exists(path: string): boolean;
}

/** A data folder that a server has used contains at least one of these files. */
const marks = ['auth-secret', 'drawbridge.db'];

/**
 * The data folder: the configured one, else a `./data` that a server has used, else one in the home folder.
 */
export const chooseDataDir = ({ given, dataHome, home, cwd, exists }: DataDirPlaces): string => {
  if (given !== undefined) return resolve(cwd, given);
  const beside = join(cwd, 'data');
  if (marks.some((name) => exists(join(beside, name)))) return beside;
  // The specification of XDG has a relative path ignored.
  const base = dataHome?.startsWith('/') ? dataHome : join(home(), '.local', 'share');
  return join(base, 'drawbridge');
};
