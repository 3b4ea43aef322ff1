import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { readGitSettings } from '../../../../paths/git/config-text.ts';
import { readSettings } from '../../../../paths/git/settings-of.ts';
import { openFolder } from '../../../../paths/open.ts';
import { isWithin } from '../../../../paths/protected.ts';
import { shellEnvironment } from '../../config.ts';
import type { Repository } from '../protected-places.ts';
import { toLines } from '../visible/git-settings.ts';
import { literally, quoted } from '../visible/stand-in-patterns.ts';
import { addedSettings, nameOf } from './added-settings.ts';
import { readPlainFile } from './rebase-todo.ts';
import { settingsProgram } from './settings-program.ts';

/** Repositories of a root whose settings a command may add to, the nearest first. */
const maxRepositories = 20;
const maxBytes = 64 * 1024;
const maxNamed = 10;
const folderName = '.drawbridge-git';

/** An empty one may be a stand-in. */
const isFilledOnce = (path: string): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.nlink === 1 && stats.size > 0;
};

/** With extensions git keeps settings or branches elsewhere. */
const mayAddTo = (folder: string): boolean =>
  isFilledOnce(join(folder, 'config')) &&
  !readGitSettings(readPlainFile(join(folder, 'config'), maxBytes) ?? '[extensions]\nx').some(
    ({ section }) => section === 'extensions',
  );

/** What git reads of the repository while it writes a setting. */
const links = ['refs', 'objects', 'packed-refs', 'index'];

interface Lent {
  /** For the end of `~/.gitconfig` in the sandbox. */
  text: string;
  /** With a `PATH` on which the program that stands before git is the first. */
  variables: Record<string, string>;
  /** Adds what is safe to the repositories, but for configs in `replaced`; gives sentences. */
  collect(replaced: readonly string[]): string[];
}

const lendsNothing: Lent = { text: '', variables: {}, collect: () => [] };

/** Adds a text to the end of a config, with the lock that git takes; nothing if that is taken. */
const addTo = (folder: string, make: (now: string) => string): void => {
  const place = openFolder(folder);
  const lock = place.entry('config.lock');
  try {
    closeSync(openSync(lock, 'wx', 0o644));
    try {
      // A pipe is not waited for: reading from it fails.
      const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const fd = openSync(place.entry('config'), flags);
      try {
        const { size, nlink } = fstatSync(fd);
        if (nlink !== 1) throw new Error('it has another name');
        const now = readFileSync(fd, 'utf8');
        const bytes = Buffer.from(make(now));
        if (bytes.length > 0 && writeSync(fd, bytes) !== bytes.length) ftruncateSync(fd, size);
      } finally {
        closeSync(fd);
      }
    } finally {
      rmSync(lock, { force: true });
    }
  } finally {
    closeSync(place.fd);
  }
};

const named = (names: readonly string[]): string =>
  names.slice(0, maxNamed).join(', ') +
  (names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '');

/** What the command wrote; undefined where it put a link, also above the file, or no plain file. */
const readWritten = (own: string): string | undefined => {
  try {
    const place = openFolder(own);
    try {
      return readPlainFile(place.entry('config'), maxBytes);
    } finally {
      closeSync(place.fd);
    }
  } catch {
    return undefined;
  }
};

const settle = (folder: string, own: string, root: string): string[] => {
  const shown = relative(root, join(folder, 'config'));
  const text = readWritten(own);
  if (text === undefined) return [`Nothing was added to ${shown}: what the command wrote is no plain file.`];
  const written = readGitSettings(text);
  if (written.length === 0) return [];
  const notes: string[] = [];
  try {
    addTo(folder, (now) => {
      const present = [
        ...readGitSettings(now),
        ...readSettings([join(folder, 'config')], homedir()).settings,
      ];
      const { added, dropped } = addedSettings(written, present);
      if (dropped.length > 0)
        notes.push(
          `Not added to ${shown}, because it is there already or a command may not set it: ${named(dropped)}.`,
        );
      if (added.length === 0) return '';
      notes.push(`Added to ${shown}: ${named(added.map((one) => `${nameOf(one)} = ${one.value ?? ''}`))}.`);
      // A last line that is continued would take the first one of the addition.
      return (
        (/\\\r?\n?$/.test(now) ? '\n\n' : now.endsWith('\n') ? '' : '\n') +
        added.map((one) => toLines(nameOf(one), one.value)).join('')
      );
    });
  } catch {
    return [`Nothing was added to ${shown}: it is being changed by another program. Run the command again.`];
  }
  return notes;
};

interface LendNeeds {
  root: string;
  temporary: string;
  /** Where the command sees `temporary`. */
  inside: string;
  git: string | undefined;
  /** What a command must not write, by a rule or because it is closed. */
  closed: readonly string[];
}

/**
 * Gives a command, in its temporary folder, a place for new settings of each repository: git in the sandbox
 * reads it, and `settingsProgram` writes it.
 */
export const lendSettings = (
  { root, temporary, inside, git, closed }: LendNeeds,
  repositories: Iterable<Repository>,
): Lent => {
  const isOpen = (folder: string) => !closed.some((one) => isWithin(join(folder, 'config'), one));
  const lent = [...repositories]
    .flatMap(({ folder, kind }) =>
      kind === 'whole' && !/[\r\n]/.test(folder) && isOpen(folder) && mayAddTo(folder) ? [folder] : [],
    )
    .slice(0, maxRepositories);
  if (git === undefined || lent.length === 0) return lendsNothing;
  const base = join(temporary, folderName);
  const program = join(base, 'bin');
  mkdirSync(program, { recursive: true });
  writeFileSync(join(program, 'git'), settingsProgram, { mode: 0o755 });
  for (const [at, folder] of lent.entries()) {
    const own = join(base, String(at));
    mkdirSync(own);
    writeFileSync(join(own, 'config'), '');
    writeFileSync(join(own, 'HEAD'), 'ref: refs/heads/main\n');
    symlinkSync(folder, join(own, 'repository'));
    for (const name of links) symlinkSync(join(folder, name), join(own, name));
  }
  const include = (folder: string, at: number): string => {
    const path = quoted(join(inside, folderName, String(at), 'config'));
    return [literally(folder), `${literally(folder)}/worktrees/**`]
      .map((one) => `[includeIf ${quoted(`gitdir:${one}`)}]\n\tpath = ${path}\n`)
      .join('');
  };
  return {
    text: lent.map(include).join(''),
    variables: {
      DRAWBRIDGE_GIT: git,
      DRAWBRIDGE_GIT_SETTINGS: join(inside, folderName),
      PATH: `${join(inside, folderName, 'bin')}:${shellEnvironment(root).PATH}`,
    },
    collect: (replaced) =>
      lent
        .filter((folder) => !replaced.includes(join(folder, 'config')))
        .flatMap((folder) => settle(folder, join(base, String(lent.indexOf(folder))), root)),
  };
};
