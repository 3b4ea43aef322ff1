import { join, resolve } from 'node:path';

export interface DataDirPlaces {
  /** `DATA_DIR`, where it is set. */
  given: string | undefined;
  /** `XDG_DATA_HOME`, where it is set. */
  dataHome: string | undefined;
  /** Throws for a user without a home folder. */
  home(): string;
  cwd: string;
  exists(path: string): boolean;
}

/** A data folder in use has at least one of these files. */
const marks = ['auth-secret', 'drawbridge.db'];

/** The data folder: the given one, else a `./data` where a server has run, else the user's data folder. */
export const chooseDataDir = ({ given, dataHome, home, cwd, exists }: DataDirPlaces): string => {
  if (given !== undefined) return resolve(cwd, given);
  const beside = join(cwd, 'data');
  if (marks.some((name) => exists(join(beside, name)))) return beside;
  // The XDG specification: ignore a relative path.
  const base = dataHome?.startsWith('/') ? dataHome : join(home(), '.local', 'share');
  return join(base, 'drawbridge');
};
