import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pickEnvironment } from '../../config.ts';
import { readGitSettings, type GitSetting } from './config-text.ts';

const maxConfigBytes = 1024 * 1024;
/** Files of one configuration, with what they include; git itself ends at a depth of 10. */
const maxFiles = 100;

/** The text of a plain file, also behind a link; undefined for all else. Does not wait for a pipe. */
export const readConfigFile = (path: string): string | undefined => {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = fstatSync(fd);
      return stats.isFile() && stats.size <= maxConfigBytes ? readFileSync(fd, 'utf8') : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
};

/** A path as git reads it in a setting: `~` is the home folder, the rest is relative to `folder`. */
export const gitPath = (text: string, { folder, home }: { folder: string; home: string }): string =>
  text === '~' || text.startsWith('~/') ? join(home, text.slice(1)) : resolve(folder, text);

export interface ReadSettings {
  settings: GitSetting[];
  /** The files that they come from, also included ones that are not there. */
  files: string[];
}

/** The settings of these files and of all that they include, whatever the condition of an include is. */
export const readSettings = (paths: readonly string[], home: string): ReadSettings => {
  const settings: GitSetting[] = [];
  const files = new Set(paths);
  for (const path of files) {
    const own = readGitSettings(readConfigFile(path) ?? '');
    settings.push(...own);
    for (const { section, key, value } of own)
      if (/^include(if)?$/.test(section) && key === 'path' && value !== undefined && files.size < maxFiles)
        files.add(gitPath(value, { folder: dirname(path), home }));
  }
  return { settings, files: [...files] };
};

/** The files of a user and of the system that git reads before those of a repository. */
export const userConfigFiles = (home: string): string[] => {
  const given = pickEnvironment('GIT_CONFIG_SYSTEM GIT_CONFIG_GLOBAL XDG_CONFIG_HOME');
  return [
    given['GIT_CONFIG_SYSTEM'] ?? '',
    '/etc/gitconfig',
    '/usr/local/etc/gitconfig',
    '/opt/homebrew/etc/gitconfig',
    given['GIT_CONFIG_GLOBAL'] ?? '',
    join(given['XDG_CONFIG_HOME'] || join(home, '.config'), 'git/config'),
    join(home, '.gitconfig'),
  ].filter((path) => path.startsWith('/'));
};
