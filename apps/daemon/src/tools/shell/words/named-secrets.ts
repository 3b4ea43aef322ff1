import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { whySensitive } from '../../../permission/index.ts';
import { realPathOf } from '../../../program/quiet-files.ts';
import type { Resource, ToolContext } from '../../common/tool.ts';
import type { Look } from '../sandbox/visible/visible-places.ts';

const maxWords = 200;
const home = /(?:\$HOME|\$\{HOME\}|(?<=^|[\s'"=:])~)(?=\/)/g;
/** Between two names in a shell text, as in `FILE=.env`, `@.env`, `HEAD:.env`, `{.env,b}`. */
const separators = /[\s;&|()<>'"`=:,@{}$]+/;
const patterns = /[*?[\]]/g;

/** Words as they stand, and as they are once the shell has removed quotes and backslashes. */
const wordsOf = (command: string): string[] => {
  const text = command.replace(home, homedir());
  const words = [...text.split(separators), ...text.replace(/['"\\]/g, '').split(separators)];
  return [...new Set(words)].filter((word) => word !== '').slice(0, maxWords);
};

/** The real paths that a word means, from each of the folders; without its signs a pattern is a name. */
const pathsOf = (word: string, folders: readonly string[]): string[] => {
  const name = word.replace(patterns, '');
  const paths = folders.map((folder) => resolve(folder, name));
  if (name !== word) return name === '' ? [] : paths.slice(0, 1);
  return paths.filter((path) => existsSync(path));
};

interface Named {
  folder: string;
  command: string;
  /** What a command sees; what it does not see is not asked about. Called where a word names a secret. */
  look(): Look;
}

/**
 * The sensitive files that a command names, as reads that are asked about. It sees names and links only: what
 * a variable, a script or a search through a folder reads is not in the words.
 */
export const namedSecrets = (context: ToolContext, { folder, command, look }: Named): Resource[] => {
  const words = wordsOf(command);
  // A command may enter a folder first.
  const named = new Set([folder, ...words.map((word) => resolve(folder, word))]);
  const folders = [...named].filter((path) => existsSync(join(path, '.')));
  const found = new Map<string, Resource>();
  let seen: Look | undefined;
  for (const typed of words.flatMap((word) => pathsOf(word, folders))) {
    const real = realPathOf(typed) ?? typed;
    const paths = [real, typed].map((path) => ({ toolGroup: 'filesystemRead' as const, resource: path }));
    const secret = paths.find((path) => whySensitive(context.root, path) !== undefined);
    if (secret === undefined || !(seen ??= look()).sees(real)) continue;
    const { resource } = secret;
    found.set(resource, {
      ...secret,
      description: `Read file: ${resource}`,
      ...(real !== typed && { aliases: [resource === real ? typed : real] }),
    });
  }
  return [...found.values()];
};
