import { isPathKey } from './safe-keys.ts';
import type { GitSetting } from './config-text.ts';

/** A word of a setting that may name a file, from the folder that its program starts in. */
export interface NamedWord {
  text: string;
  /**
   * `path`: with all below it. `run`: a file, or what an interpreter runs of a folder. `name`: a file beside
   * it. `script`: a file that can be run. `input`: the same, or settings.
   */
  kind: 'path' | 'run' | 'name' | 'script' | 'input';
}

const interpreters =
  /^(?:.*\/)?(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|ruby|php|perl|lua|sh|bash|dash|zsh|ksh)$/;
const variable = /\$\{?\w+\}?|\$\([^()]*\)|`[^`]*`/g;
const isUrl = (word: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(word);

const bounds = /[\s'"`;|&()<>=,{}!]+|^\w+::/;

/** The words of a command that may name files: quotes, operators and `name=` are taken as bounds. */
const wordsOf = (value: string): string[] => {
  const quoted = [...value.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? '');
  const plain = value.replace(variable, ' ').split(bounds);
  const whole = [value, ...quoted].map((text) => text.replace(variable, ''));
  return [...plain, ...whole.filter((text) => /\s/.test(text.trim()))]
    .filter((word) => !isUrl(word))
    .map((word) => word.replace(/^-[^/]*/, ''))
    .filter((word) => word !== '');
};

/** Most words of an alias are arguments: it may run the scripts. */
const aliasWords = (value: string): NamedWord[] =>
  value.startsWith('!') || /(^|\s)(-c|--config-env|--exec)\b|-pack=/.test(value)
    ? wordsOf(value.replace(/^!/, '')).map((text) => ({ text, kind: 'script' }))
    : [];

/** What the command line of an MCP server starts, and the scripts and settings that it is given. */
export const commandWords = (command: readonly string[], values: readonly string[]): NamedWord[] => {
  const line = command
    .map((word) => (/[\s"']/.test(word) ? `"${word.replaceAll('"', ' ')}"` : word))
    .join(' ');
  const found = wordsOf(line);
  const isRun = (at: number) => at === 0 || interpreters.test(found[at - 1] ?? '');
  return [
    ...found.map((text, at): NamedWord => ({ text, kind: isRun(at) ? 'run' : 'input' })),
    ...values.flatMap(wordsOf).map((text): NamedWord => ({ text, kind: 'script' })),
  ];
};

/** What a setting's value may name, in words. Empty for a value that is a number or a switch. */
export const namedWords = (setting: GitSetting): NamedWord[] => {
  const value = setting.value?.trim() ?? '';
  if (value === '' || /^(true|false|yes|no|on|off|-?\d+)$/i.test(value)) return [];
  if (isPathKey(setting)) return [{ text: value, kind: 'path' }];
  if (setting.section === 'alias') return aliasWords(value);
  const found = wordsOf(value);
  return found.flatMap((text, at): NamedWord[] => {
    const before = found[at - 1];
    if (text.includes('/') || (before !== undefined && interpreters.test(before)))
      return [{ text, kind: 'run' }];
    // The first word without a `/` is looked up in PATH.
    return at === 0 ? [] : [{ text, kind: 'name' }];
  });
};
