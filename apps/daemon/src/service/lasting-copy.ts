import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';

/** The folder of one npx run, which npm may clear at any time; null for a program that stays where it is. */
const npxFolder = (cli: string): string | null => {
  const parts = cli.split(sep);
  const at = parts.indexOf('_npx');
  return at === -1 || parts.length < at + 3 ? null : parts.slice(0, at + 2).join(sep);
};

/** The path of a program that outlives npm's cache: itself, or a copy of it with all that it needs in the private folder. */
export const lastingCopy = async (
  cli: string,
  { privateFolder, version }: { privateFolder: string; version: string },
): Promise<string> => {
  const from = npxFolder(cli);
  if (from === null) return cli;
  const to = join(privateFolder, 'app', version);
  const draft = `${to}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await cp(from, draft, { recursive: true, verbatimSymlinks: true });
  await rm(to, { recursive: true, force: true });
  await rename(draft, to);
  return join(to, relative(from, cli));
};
