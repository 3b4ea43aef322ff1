import { dirname, join, sep } from 'node:path';
import { normalizeName } from '../text/normalize.ts';
import { closedNames } from './run-names.ts';

const plainPath = /^[\x20-\x7e]*$/;

const closedFiles: ReadonlySet<string> = new Set(closedNames.filter((name) => !name.includes('/')));
const closedEnds = closedNames.filter((name) => name.includes('/')).map((path) => path.split('/'));
/** Inside `.git`, at any depth (submodules are below `modules`): what git runs or where it looks for it. */
export const gitNames: ReadonlySet<string> = new Set([
  'hooks',
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
]);
/** Inside a `.git` folder: what git does next and with which options, which may name programs. */
const gitStates: ReadonlySet<string> = new Set(['rebase-merge', 'rebase-apply', 'sequencer']);
const hasMarkedEnd = (names: readonly string[], at: number): boolean =>
  closedEnds.some((end) => end.every((name, index) => names[at - end.length + 1 + index] === name));

/** Whether the name at `at` makes its path a protected one. */
const isMarked = (names: readonly string[], at: number): boolean => {
  const name = names[at] ?? '';
  if (closedFiles.has(name) || hasMarkedEnd(names, at)) return true;
  return (gitNames.has(name) || gitStates.has(name)) && names.slice(0, at).includes('.git');
};

/** Protected names that a folder may get, by their path in it. */
export const protectedNames: readonly string[] = [
  ...closedNames,
  ...[...gitNames].map((name) => join('.git', name)),
];

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Where the tools work, and the folder of the daemon itself: both real paths. */
export interface Territory {
  root: string;
  privateFolder: string;
  /** Folders and files of servers of this account, which no tool may touch either. */
  closedFolders?(): readonly string[];
}

/** The daemon's own folder, and those of servers. */
export const closedBy = ({ privateFolder, closedFolders }: Territory): readonly string[] => [
  privateFolder,
  ...(closedFolders?.() ?? []),
];

/** A copy for one check or one walk: the closed folders are looked up at most once. */
export const atOneMoment = <T extends Territory>(territory: T): T => {
  let closed: readonly string[] | undefined;
  return { ...territory, closedFolders: () => (closed ??= territory.closedFolders?.() ?? []) };
};

/**
 * Whether no tool may touch this path. Names of the root itself and above it do not count.
 * `write` also protects `.git` itself, which as a file or a link would send git elsewhere.
 */
export const isProtected = (territory: Territory, path: string, access: 'read' | 'write'): boolean => {
  const typed = normalizeName(path);
  if (closedBy(territory).some((closed) => isWithin(typed, normalizeName(closed)))) return true;
  // Every name that protects begins with a dot, and most paths have none.
  if (plainPath.test(path) && !path.includes(`${sep}.`)) return false;
  const names = path.split(sep).filter(Boolean).map(normalizeName);
  const rootLength = territory.root.split(sep).filter(Boolean).length;
  if (access === 'write' && names.length > rootLength && names.at(-1) === '.git') return true;
  return names.some((_, at) => at >= rootLength && isMarked(names, at));
};

/** Printable and without a leading dot: no protected name looks like this. */
const harmlessName = /^[\x20-\x2d\x2f-\x7e][\x20-\x7e]*$/;

/** `isProtected` for reading the entries of one folder, with what holds for all of them looked at once. */
export const protectedIn = (territory: Territory, folder: string): ((name: string) => boolean) => {
  const closed = closedBy(territory);
  const isPlain = plainPath.test(folder) && !folder.includes(`${sep}.`);
  const lower = folder.toLowerCase();
  const isHarmless =
    isPlain && closed.map(normalizeName).every((own) => lower !== dirname(own) && !isWithin(lower, own));
  const now: Territory = { ...territory, closedFolders: () => closed };
  return (name) => !(isHarmless && harmlessName.test(name)) && isProtected(now, join(folder, name), 'read');
};
