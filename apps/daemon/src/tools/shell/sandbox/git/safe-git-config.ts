import { isHelperAddress, isSafeKey, type GitKey } from '../../../../paths/git/safe-keys.ts';

const section = /^\s*\[\s*([A-Za-z0-9-]+)(?:\s+"([^"\\\p{Cc}]*)")?\s*\]\s*$/u;
const setting = /^\s*([A-Za-z][A-Za-z0-9-]*)(?:\s*=\s*([^\p{Cc}"\\;#]*))?$/u;
const nothing = /^\s*(?:[#;].*)?$/u;

interface Setting extends GitKey {
  value: string | undefined;
}

const idOf = ({ section: first, name, key }: Setting): string =>
  [first, ...(name === undefined ? [] : [name]), key].join('.');

const isSafe = (entry: Setting): boolean =>
  isSafeKey(entry) && (!/url$|remote$/.test(entry.key) || !isHelperAddress(entry.value ?? ''));

const headingOf = ({ section: first, name }: Setting): string =>
  name === undefined ? `[${first}]` : `[${first} "${name}"]`;

/**
 * A git config rewritten with safe settings only; `dropped` names the others.
 * What this parser does not know is dropped too: comments, quotes, escapes, multi-line settings.
 */
export const safeGitConfig = (text: string): { text: string; dropped: string[] } => {
  const lines: string[] = [];
  const dropped: string[] = [];
  let at: { section: string; name: string | undefined } | undefined;
  let heading = '';
  for (const line of text.split('\n')) {
    const opened = section.exec(line);
    const match = setting.exec(line);
    if (nothing.test(line)) continue;
    if (opened?.[1] !== undefined) at = { section: opened[1].toLowerCase(), name: opened[2] };
    else if (match?.[1] === undefined || at === undefined) {
      dropped.push(line.trim().slice(0, 60));
      at = line.trim().startsWith('[') ? undefined : at;
    } else {
      const one: Setting = { ...at, key: match[1].toLowerCase(), value: match[2]?.trim() };
      if (!isSafe(one)) dropped.push(idOf(one).slice(0, 60));
      else {
        if (headingOf(one) !== heading) lines.push((heading = headingOf(one)));
        lines.push(one.value === undefined ? `\t${one.key}` : `\t${one.key} = ${one.value}`);
      }
    }
  }
  return { text: lines.map((line) => `${line}\n`).join(''), dropped: [...new Set(dropped)] };
};

interface PlacedLine {
  heading: string;
  line: string;
}

/** Lines with the heading above them, as they are. */
const placedLines = (text: string): PlacedLine[] => {
  let heading = '';
  return text.split('\n').map((line) => {
    const above = heading;
    if (line.trimStart().startsWith('[')) heading = line;
    return { heading: above, line };
  });
};

/** Those of one text that the other one does not have, without comments and empty ones. */
const withoutThoseOf = (text: string, other: string): PlacedLine[] => {
  const known = new Set(placedLines(other).map(({ heading, line }) => `${heading}\n${line}`));
  const headings = new Set(placedLines(other).map(({ line }) => line));
  return placedLines(text).filter(
    ({ heading, line }) =>
      !nothing.test(line) &&
      !known.has(`${heading}\n${line}`) &&
      !(line.trimStart().startsWith('[') && headings.has(line)),
  );
};

const isSafeLine = ({ heading, line }: PlacedLine): boolean => {
  if (line.trimStart().startsWith('[')) return section.test(line);
  return safeGitConfig(`${heading}\n${line}`).dropped.length === 0;
};

/** Without these git may take the folder for another kind of repository. */
const ofRepository = /^\s*\[\s*(core|extensions)\b/i;

/** Whether two texts of a configuration differ in comments and safe settings only; none of `core` may go. */
export const differsSafely = (before: string, now: string): boolean =>
  withoutThoseOf(now, before).every(isSafeLine) &&
  withoutThoseOf(before, now).every(
    (one) => isSafeLine(one) && !ofRepository.test(one.heading) && !ofRepository.test(one.line),
  );
