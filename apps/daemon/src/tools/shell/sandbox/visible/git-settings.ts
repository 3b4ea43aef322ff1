import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { createBoundedMap } from '@drawbridge/kit';
import { words } from '../../../../text/words.ts';
import { ownEnvironment } from '../../config.ts';

const run = promisify(execFile);
const timeoutMs = 5_000;

/** Of the user's settings: who commits, how git shows and joins. No helper, address, header or key. */
const keys = new Set(
  words(`
    user.name user.email author.name author.email committer.name committer.email init.defaultbranch safe.directory
    core.autocrlf core.eol core.safecrlf core.quotepath core.abbrev core.excludesfile core.whitespace core.ignorecase
    core.precomposeunicode core.symlinks core.filemode core.commentchar core.longpaths
    pull.rebase pull.ff push.default push.autosetupremote fetch.prune merge.ff merge.conflictstyle merge.renames
    rebase.autostash rebase.autosquash rebase.updaterefs rerere.enabled commit.verbose commit.cleanup
    branch.sort branch.autosetuprebase branch.autosetupmerge tag.sort log.date log.decorate log.abbrevcommit
    status.short status.branch status.showuntrackedfiles status.submodulesummary submodule.recurse
    diff.algorithm diff.renames diff.colormoved diff.mnemonicprefix diff.noprefix diff.context
    column.ui color.ui format.pretty index.version feature.manyfiles
    filter.lfs.clean filter.lfs.smudge filter.lfs.process filter.lfs.required
  `),
);
const ofAdvice = /^advice\.[a-z]+$/;

export interface GitSettings {
  text: string;
  /** The file of patterns that git ignores everywhere, where the settings name one. */
  ignored: string | undefined;
}

const known = createBoundedMap<string, GitSettings & { stamp: string }>({ maxEntries: 16 });

const stampOf = (path: string): string => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`;
};

/** One setting in the form of a config file: `a.b.c` is c of `[a "b"]`. */
export const toLines = (key: string, value: string | undefined): string => {
  const names = key.split('.');
  const [first = '', last = ''] = [names[0], names.at(-1)];
  const middle = names.slice(1, -1).join('.');
  const heading = middle === '' ? `[${first}]` : `[${first} "${middle}"]`;
  const escaped = value?.replace(/["\\]/g, String.raw`\$&`).replace(/\n/g, String.raw`\n`);
  return `${heading}\n\t${last}${escaped === undefined ? '' : ` = "${escaped}"`}\n`;
};

const parse = (listed: string): [string, string | undefined][] =>
  listed
    .split('\0')
    .map((entry): [string, string | undefined] => {
      const at = entry.indexOf('\n');
      return at === -1 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)];
    })
    .filter(([key]) => keys.has(key) || ofAdvice.test(key));

const ignoredBy = (settings: [string, string | undefined][], home: string): string | undefined => {
  const value = settings.findLast(([key]) => key === 'core.excludesfile')?.[1];
  const path = value?.replace(/^~(?=\/)/, home);
  return path !== undefined && isAbsolute(path) ? path : undefined;
};

/** What a command gets as `~/.gitconfig`: the safe ones of the person's settings; empty without git. */
export const safeGlobalSettings = async (git: string | undefined, root: string): Promise<GitSettings> => {
  if (git === undefined) return { text: '', ignored: undefined };
  const home = homedir();
  const xdg = ownEnvironment()['XDG_CONFIG_HOME'] || join(home, '.config');
  const stamp = [join(home, '.gitconfig'), join(xdg, 'git', 'config')].map(stampOf).join();
  const before = known.get(root);
  if (before?.stamp === stamp) return before;
  const listed = await run(git, ['config', '--global', '--includes', '--null', '--list'], {
    cwd: root,
    timeout: timeoutMs,
    maxBuffer: 1024 * 1024,
  }).catch(() => ({ stdout: '' }));
  const settings = parse(listed.stdout);
  const text = settings.map(([key, value]) => toLines(key, value)).join('');
  const found = { text, ignored: ignoredBy(settings, home), stamp };
  known.set(root, found);
  return found;
};
