import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { whySensitive } from '../../../../permission/index.ts';
import { closedBy, isWithin, type Territory } from '../../../../paths/protected.ts';
import { ownEnvironment, shellEnvironment } from '../../config.ts';
import { readQuietly, realPathOf } from '../../../../program/quiet-files.ts';
import { outermost, wayOf } from './links.ts';
import { findPrograms } from './programs.ts';
import { untilChanged } from './stamped.ts';
import { isOfSystem } from './system.ts';
import { findToolchains } from './toolchains.ts';

const lineOf = (path: string): string | undefined => readQuietly(path)?.split('\n')[0]?.trim();

/**
 * The repository of a root that is a working tree of it (`git worktree add`): git needs it for every command.
 * It counts only where it names this root too, so that no file in the root opens a folder of its choice.
 */
const findWorktree = (root: string): string[] => {
  const place = join(root, '.git');
  if (lstatSync(place, { throwIfNoEntry: false })?.isFile() !== true) return [];
  const named = /^gitdir: (.+)$/.exec(lineOf(place) ?? '')?.[1];
  if (named === undefined) return [];
  const own = realPathOf(resolve(root, named));
  const back = own === undefined ? undefined : lineOf(join(own, 'gitdir'));
  const common = own === undefined ? undefined : lineOf(join(own, 'commondir'));
  if (own === undefined || back === undefined || common === undefined) return [];
  const repository = realPathOf(resolve(own, common));
  const isOfRepository = repository !== undefined && dirname(own) === join(repository, 'worktrees');
  return isOfRepository && realPathOf(resolve(own, back)) === realPathOf(place) ? [repository] : [];
};

export interface VisibleNeeds extends Territory {
  /** Folders that the owner of this machine has added; absolute paths. */
  addedFolders?(): readonly string[];
}

/** What a command sees beside the system. Real paths that are there. */
export interface VisiblePlaces {
  opened: string[];
  /** Links outside of them that lead there. */
  links: { path: string; target: string }[];
  /** Inside of what is opened, and closed: keys and tokens. */
  closed: string[];
}

/** Too wide to be opened, whatever names it: a home, a folder above it, one at the top of the disk. */
export const isTooWide = (real: string, home: string): boolean =>
  isWithin(home, real) || dirname(real) === '/' || real === '/';

/** What may hold a key or a token, by its name, right below a folder. */
const sensitiveIn = untilChanged((folder) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => whySensitive(folder, { toolGroup: 'filesystemRead', resource: path }) !== undefined),
);

const whatIsThere = (paths: readonly string[]): string[] => paths.filter((path) => existsSync(path));

/** Finds what a command of this root sees. `path`: the PATH that it gets. */
export const findVisible = (needs: VisibleNeeds, path: string): VisiblePlaces => {
  const { root } = needs;
  const home = homedir();
  const realHome = wayOf(home, root)?.real ?? home;
  const toolchains = findToolchains(home, ownEnvironment());
  const found = [path, dirname(process.execPath)].flatMap((one) =>
    findPrograms(one, { home: realHome, root }),
  );
  const typed = [...found, ...toolchains.opened, ...findWorktree(root), ...(needs.addedFolders?.() ?? [])];
  const ways = [...new Set(typed)].flatMap((one) => {
    const way = wayOf(one, root);
    return way === undefined || way.isInRoot || isTooWide(way.real, realHome) || isOfSystem(way.real)
      ? []
      : [way];
  });
  const opened = outermost(ways.map(({ real }) => real));
  const links = new Map(ways.flatMap((way) => way.links).map((link) => [link.path, link]));
  const isInside = (one: string) => isOfSystem(one) || opened.some((folder) => isWithin(one, folder));
  return {
    opened,
    links: [...links.values()].filter((link) => !isInside(link.path)),
    closed: whatIsThere([...toolchains.closed, ...opened.flatMap(sensitiveIn)]),
  };
};

export interface Look {
  /** Whether a command sees a path. */
  sees(path: string): boolean;
  /** Whether it cannot be opened: it is in the folder of the daemon or of a server. */
  isClosed(path: string): boolean;
}

/** Looks at the walls as they stand. Paths that are asked about are not looked up. */
export const createLook = (needs: VisibleNeeds) => (): Look => {
  const { root } = needs;
  const { opened, closed } = findVisible(needs, shellEnvironment(root).PATH);
  const shown = [root, ...opened];
  const own = closedBy(needs);
  const hidden = [...closed, ...own];
  return {
    isClosed: (path) => own.some((one) => isWithin(path, one)),
    sees: (path) =>
      !hidden.some((one) => isWithin(path, one)) &&
      (isOfSystem(path) || shown.some((folder) => isWithin(path, folder))),
  };
};
