import { homedir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { z } from 'zod';
import { readEnvironment } from '../config.ts';
import { parseJson } from '../text/parse-json.ts';
import { isExecutable, readQuietly, realPathOf } from './quiet-files.ts';
import { installedPlaces, npxFolder } from './places.ts';

export interface Start {
  script: string;
  node: string;
  path: string;
  home: string;
}

const npxManifest = z.object({
  _npx: z.object({ packages: z.tuple([z.string()]) }).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
});

/** What a shell of this user would start. The folders that npm puts in front for one run do not count. */
const findInPath = (name: string, path: string): string | undefined => {
  const folders = path.split(':').filter((folder) => folder !== '' && !folder.endsWith('node_modules/.bin'));
  return folders.map((folder) => join(folder, name)).find(isExecutable);
};

/** A word as a shell takes it. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** What npx was given, from the note that npm keeps; null where npx did not start this. */
const npxPackage = (script: string): string | null => {
  const folder = npxFolder(script);
  if (folder === null) return null;
  const read = parseJson(npxManifest, readQuietly(join(folder, 'package.json')));
  return read?._npx?.packages[0] ?? read?.dependencies?.['@drawbridge/daemon'] ?? null;
};

const npxOf = (address: string): string =>
  // A path alone would be taken for a program.
  /^https?:/.test(address)
    ? `npx --yes ${shellWord(address)}`
    : `npx --yes -p ${shellWord(address)} drawbridge`;

/** The words that start this program from a shell on this machine. */
export const commandFrom = ({ script, node, path, home }: Start): string => {
  const real = realPathOf(script) ?? script;
  const { versions, launcher } = installedPlaces(home);
  const ownVersions = realPathOf(versions);
  const isOurs = (program: string): boolean => {
    const target = realPathOf(program);
    return target === real || (ownVersions !== undefined && target?.startsWith(ownVersions + sep) === true);
  };
  const installed = findInPath('drawbridge', path);
  if (installed !== undefined && isOurs(installed)) return 'drawbridge';
  if (isOurs(launcher)) return shellWord(launcher);
  const address = npxPackage(real);
  if (address !== null) return npxOf(address);
  const inPath = findInPath('node', path);
  const isSameNode =
    inPath !== undefined && dirname(realPathOf(inPath) ?? '') === dirname(realPathOf(node) ?? node);
  return `${isSameNode ? 'node' : shellWord(node)} ${shellWord(real)}`;
};

/** A command of this program in the form that works on this machine: `ownCommand('connect')`. */
export const ownCommand = (rest = ''): string => {
  const start = commandFrom({
    script: process.argv[1] ?? '',
    node: process.execPath,
    path: readEnvironment().path,
    home: homedir(),
  });
  return rest === '' ? start : `${start} ${rest}`;
};
