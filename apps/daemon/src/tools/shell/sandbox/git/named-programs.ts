import { readlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { nextMacrotask } from '@drawbridge/kit';
import {
  gitFolderOf,
  pathsNamedByGit,
  readUserSettings,
  repositoryAbove,
  type GitPlace,
} from '../../../../paths/git/named-paths.ts';
import { isWithin, type Territory } from '../../../../paths/protected.ts';
import { programsOfServers } from '../../../../paths/server-programs.ts';
import { realPathOf } from '../../../../program/quiet-files.ts';

/** Repositories whose settings are read before other work of the daemon goes on. */
const repositoriesAtOnce = 20;

export const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

/** This program, which runs outside the sandbox at its next start, where it lies in the root. */
const ownProgram = (root: string): string[] => {
  const script = realPathOf(process.argv[1] ?? '');
  const folder = script === undefined ? '' : dirname(script);
  return [...(folder === root ? [script ?? ''] : [folder]), process.execPath].filter(
    (path) => path !== root && isWithin(path, root),
  );
};

interface Found {
  /** Protected paths; `.git` files among them lead to repositories elsewhere. */
  kept: ReadonlyMap<string, unknown>;
  repositories: ReadonlyMap<string, unknown>;
}

const placesOfGit = (root: string, { kept, repositories }: Found): GitPlace[] => {
  const entries = [...kept.keys()].filter((path) => basename(path) === '.git');
  const elsewhere = entries.flatMap((entry): GitPlace[] => {
    const folder = gitFolderOf(entry);
    return folder === undefined ? [] : [{ folder, entry }];
  });
  const above = repositoryAbove(root);
  return [
    ...[...repositories.keys()].map((folder) => ({ folder })),
    ...elsewhere,
    ...(above === undefined ? [] : [above]),
  ];
};

/** Paths in the root that the settings of git and the list of MCP servers name as programs. */
export const namedPrograms = async (territory: Territory, found: Found): Promise<string[]> => {
  const home = homedir();
  const { root } = territory;
  const user = readUserSettings(home);
  const named = new Set([...programsOfServers({ ...territory, home }), ...ownProgram(root)]);
  for (const [at, place] of placesOfGit(root, found).entries()) {
    if (at % repositoriesAtOnce === repositoriesAtOnce - 1) await nextMacrotask();
    for (const path of pathsNamedByGit(place, user, { root, home })) named.add(path);
  }
  return [...named];
};

/** What must stay so that a path leads to what it leads to now: the links on its way, and its end. */
export const placesOf = (path: string, root: string): [string, string | undefined][] => {
  const names = relative(root, path).split(sep);
  const onTheWay = names.map((_, at) => join(root, ...names.slice(0, at + 1)));
  const links = onTheWay.flatMap((place): [string, string][] => {
    const link = linkAt(place);
    return link === undefined ? [] : [[place, link]];
  });
  const real = realPathOf(path);
  return real !== undefined && real !== root && isWithin(real, root) ? [...links, [real, undefined]] : links;
};
