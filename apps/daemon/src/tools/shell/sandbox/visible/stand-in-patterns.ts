import { join, relative } from 'node:path';
import { readQuietly } from '../../../../program/quiet-files.ts';

/** A file that is shown to a command in the place of another one. */
export interface MadeText {
  place: string;
  text: string;
}

export const quoted = (value: string): string => `"${value.replace(/["\\]/g, String.raw`\$&`)}"`;
export const literally = (path: string): string => path.replace(/[\\*?[\]]/g, String.raw`\$&`);

/** Anchored at the root; null for a name that a line cannot hold. */
const patternOf = (root: string, path: string): string | null =>
  /[\r\n]/.test(path) ? null : `/${literally(relative(root, path)).replace(/ $/, String.raw`\ `)}`;

/**
 * Makes git in the root's own repository leave the stand-ins alone, neither listed nor removed.
 * `settings` belongs at the end of `~/.gitconfig`; `ignored`: the person's own file of patterns.
 */
export const ignoreStandIns = ({
  root,
  home,
  ignored,
  standIns,
}: {
  root: string;
  home: string;
  ignored: string | undefined;
  standIns: readonly string[];
}): { settings: string; files: MadeText[] } => {
  const patterns = standIns.map((path) => patternOf(root, path)).filter((pattern) => pattern !== null);
  if (patterns.length === 0 || /[\r\n]/.test(root + home)) return { settings: '', files: [] };
  const own = ignored === undefined ? '' : (readQuietly(ignored) ?? '');
  // Beside `~/.gitconfig`: a folder of the home may be shown as it is, and then nothing is made in it.
  const config = join(home, '.gitconfig-stand-ins');
  const excludes = join(home, '.gitignore-stand-ins');
  const condition = quoted(`gitdir:${literally(join(root, '.git'))}`);
  return {
    settings: `[includeIf ${condition}]\n\tpath = ${quoted(config)}\n`,
    files: [
      { place: config, text: `[core]\n\texcludesFile = ${quoted(excludes)}\n` },
      { place: excludes, text: `${own}\n${patterns.join('\n')}\n` },
    ],
  };
};
