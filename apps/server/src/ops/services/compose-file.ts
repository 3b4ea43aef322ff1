import { statSync } from 'node:fs';
import { join } from 'node:path';

/** In Docker's own order. */
const names = ['compose.yaml', 'compose.yml', 'docker-compose.yml', 'docker-compose.yaml'];

interface Places {
  /** `OPS_COMPOSE_FILE`: a file, or `off`. */
  given: string | undefined;
  /** Where a file is looked for when none is given. */
  folders: readonly string[];
  /** The account of the server; undefined on Windows. */
  uid: number | undefined;
}

/** A file of another account is not read: with the controls on, its images would run. */
const isTrusted = (file: string, uid: number | undefined): boolean => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && (uid === undefined || found.uid === uid || found.uid === 0);
};

/** The Docker Compose file of this machine, which may have come or gone since the last look. */
export const composeFile = ({ given, folders, uid }: Places): string | undefined => {
  if (given !== undefined) return given === 'off' ? undefined : given;
  return folders
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => isTrusted(file, uid));
};
