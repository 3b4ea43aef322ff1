import { chmodSync, closeSync, openSync } from 'node:fs';

const ownerOnly = 0o600;

const attempt = (run: () => void): void => {
  try {
    run();
  } catch {
    // There already, not there, or somebody else's: SQLite says what it cannot open.
  }
};

/**
 * Makes a SQLite file for its owner alone, and closes one that is there, with those that SQLite keeps beside it, to others. One
 * that is there is not opened: to close it again would release the locks that this process has on it.
 */
export const keepPrivate = (file: string): void => {
  // SQLite gives the files beside it the mode of this one.
  attempt(() => closeSync(openSync(file, 'wx', ownerOnly)));
  for (const path of [file, `${file}-wal`, `${file}-shm`]) attempt(() => chmodSync(path, ownerOnly));
};
