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
 * Restricts a SQLite file and the files beside it to their owner; creates a missing one with that mode. An
 * existing file is not opened: closing it would release this process's locks on it.
 */
export const keepPrivate = (file: string): void => {
  // SQLite gives the files beside it the mode of this one.
  attempt(() => closeSync(openSync(file, 'wx', ownerOnly)));
  for (const path of [file, `${file}-wal`, `${file}-shm`]) attempt(() => chmodSync(path, ownerOnly));
};
