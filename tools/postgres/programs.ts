import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const debianPostgres = '/usr/lib/postgresql';

/** The folder of Postgres's programs: Debian keeps them beside the PATH. */
export const postgresFolder = (): string | undefined => {
  const versions = existsSync(debianPostgres) ? readdirSync(debianPostgres) : [];
  const folders = [
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((one) => join(debianPostgres, one, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
};
