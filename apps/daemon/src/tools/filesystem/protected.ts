import { dirname, join, sep } from 'node:path';
import { foldName } from '../../permission/index.ts';

const plainPath = /^[\x20-\x7e]*$/;

/** Names that make other programs run things, wherever they stand; what lies below a folder of these belongs to it. */
const anywhere = new Set(
  (
    '.gitmodules .mcp.json .vscode .idea .claude .cursor .ssh .envrc ' +
    '.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout ' +
    '.kshrc .mkshrc .cshrc .tcshrc .login .logout .inputrc .xprofile .xinitrc .xsession .xsessionrc'
  ).split(' '),
);
/** Inside a `.git` folder, at any depth (a submodule's own is below `modules`): what git runs, or where it looks for it. */
const insideGit = new Set(['hooks', 'config', 'config.worktree', 'commondir', 'gitdir']);
const startUpFolders = [
  ['.config', 'fish'],
  ['.config', 'powershell'],
  ['.config', 'autostart'],
  ['.config', 'systemd'],
];

const endsInStartUpFolder = (names: readonly string[], at: number): boolean =>
  startUpFolders.some(([parent, child]) => names[at] === child && names[at - 1] === parent);

/** Whether the name at `at` makes its path a protected one. */
const isMarked = (names: readonly string[], at: number): boolean => {
  const name = names[at] ?? '';
  if (anywhere.has(name) || endsInStartUpFolder(names, at)) return true;
  return insideGit.has(name) && names.slice(0, at).includes('.git');
};

/** Protected names that a folder may get, by their path in it; in a `.git` folder others than elsewhere. */
export const protectedNamesIn = (kind: 'folder' | 'git'): string[] =>
  kind === 'git'
    ? [...insideGit]
    : [
        ...anywhere,
        ...startUpFolders.map((names) => join(...names)),
        ...[...insideGit].map((name) => join('.git', name)),
      ];

export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Where the tools work, and the folder of the daemon itself: both real paths. */
export interface Territory {
  root: string;
  privateFolder: string;
}

/**
 * Whether no tool may touch this path, whether it exists or not. The person chose the root, so its own name and those above it do not
 * count. `write` also keeps `.git` itself, which as a file or a link would send git elsewhere.
 */
export const isProtected = (territory: Territory, path: string, access: 'read' | 'write'): boolean => {
  if (isWithin(foldName(path), foldName(territory.privateFolder))) return true;
  // Every name that protects begins with a dot, and most paths have none.
  if (plainPath.test(path) && !path.includes(`${sep}.`)) return false;
  const names = path.split(sep).filter(Boolean).map(foldName);
  const rootLength = territory.root.split(sep).filter(Boolean).length;
  if (access === 'write' && names.length > rootLength && names.at(-1) === '.git') return true;
  return names.some((_, at) => at >= rootLength && isMarked(names, at));
};

/** Printable and without a dot in front: what `foldName` only brings to lower case, and what no protected name looks like. */
const harmlessName = /^[\x20-\x2d\x2f-\x7e][\x20-\x7e]*$/;

/** `isProtected` for reading the entries of one folder, with what holds for all of them looked at once. */
export const protectedIn = (territory: Territory, folder: string): ((name: string) => boolean) => {
  const own = foldName(territory.privateFolder);
  const isPlain = plainPath.test(folder) && !folder.includes(`${sep}.`);
  const lower = folder.toLowerCase();
  const isHarmless = isPlain && lower !== dirname(own) && !isWithin(lower, own);
  return (name) =>
    !(isHarmless && harmlessName.test(name)) && isProtected(territory, join(folder, name), 'read');
};
