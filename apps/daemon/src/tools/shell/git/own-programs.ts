import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pickEnvironment } from '../../../config.ts';
import { findProgram } from '../../../paths/programs.ts';
import { shellEnvironment } from '../config.ts';

/** What the person's git, its helpers and ssh find settings, keyrings and keys with. */
const kept =
  'HOME USER LOGNAME LANG LC_ALL XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK ' +
  'GNUPGHOME PASSWORD_STORE_DIR GH_CONFIG_DIR GCM_CREDENTIAL_STORE GCM_PLAINTEXT_STORE_PATH';

export interface OwnPrograms {
  /** The program of this name, never one in the shared folder. */
  find(name: string): string | undefined;
  /** An empty folder of the daemon's own: no repository is found from there. */
  folder: string;
  environment: Record<string, string>;
}

/** How the daemon runs the person's git and ssh outside of the sandbox. */
export const ownPrograms = ({
  root,
  privateFolder,
}: {
  root: string;
  privateFolder: string;
}): OwnPrograms => {
  const folder = join(privateFolder, 'git');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { PATH } = shellEnvironment(root);
  return {
    find: (name) => findProgram(name, PATH),
    folder,
    environment: { ...pickEnvironment(kept), PATH, GIT_CEILING_DIRECTORIES: privateFolder },
  };
};
