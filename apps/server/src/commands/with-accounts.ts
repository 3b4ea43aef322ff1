import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@drawbridge/kit';
import type { Config } from '../config.ts';
import { readFolderHolder } from '../db/index.ts';
import { errors } from '../errors.ts';
import { openAccounts } from '../compose/open-accounts.ts';

export type Opened = Awaited<ReturnType<typeof openAccounts>>;

/** Throws `notFound` if no server has run with the data folder: opening a store would create it. */
export const requireStore = (dataDir: string): void => {
  if (existsSync(join(dataDir, 'auth-secret'))) return;
  throw errors.notFound({
    message: `No server has run with the data folder ${dataDir}`,
    fix: 'Set DATA_DIR to the folder of the server.',
  });
};

/** Where people reach the server that runs on the data folder; undefined while none runs. */
const runningUrl = (dataDir: string): string | undefined => {
  const holder = readFolderHolder(dataDir);
  return holder === null || holder === 'starting' ? undefined : (holder.url ?? undefined);
};

/** Opens the store, also of a running server, and closes it after use. Throws `notFound` without a store. */
export const withAccounts = async <Result>(
  config: Config,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> => {
  requireStore(config.dataDir);
  const opened = await openAccounts({
    // Links name the address of the server that runs, whatever the environment of this command says.
    config: { ...config, logLevel: 'warn', publicUrl: runningUrl(config.dataDir) ?? config.publicUrl },
    clock: systemClock,
    writeLog: (line) => void process.stderr.write(line),
  });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
};
