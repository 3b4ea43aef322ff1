import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { filesBelow } from './tree.ts';

/** The exceptions by path. A folder has a reason beside its count. */
export type Allowed = Record<string, number | { count: number; reason: string }>;

/** The content of `house-exceptions.json`: a count may be lowered, never raised. */
export interface Exceptions {
  commentLines: Allowed;
  smallFiles: Allowed;
  folders: Allowed;
  retiredWords: Allowed;
}

/** The violations of each rule by path: lines of a file, or the sources of a folder. */
export type Findings = Record<keyof Exceptions, Map<string, string[]>>;

interface SourceFile {
  path: string;
  text: string;
}

const lineLimit = 110;
/** A file of fewer lines that one file alone imports is a part of that one. */
const smallLimit = 25;
const folderLimit = 15;

// Replaced names, after identifiers are split into words; see docs/working-here.md.
const retired =
  /\b(couriers?|ledgers?|parcels?|hears?|(?:take|takes|taken|taking|took) back|let go|keep back|kept back|come too late|put away|hurr(?:y|ies)|noting|what became of|whoever|nobody|is none|by itself|by themselves|the token is taken)\b/g;
const retiredInCode = /\b(letters?|riders?|ridden)\b/g;

const comment = /^\s*(\/\/|\/?\*|<!--)|\s\/\/\s|\/\*/;
const commentsAndTexts = /'[^']*'|"[^"]*"|`[^`]*`|\/\/.*|\/\*.*|<!--.*|^\s*\*.*/g;

/** `takeBack` and `take-back` are written `take back`. */
const splitWords = (line: string) =>
  line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_\s]+/g, ' ')
    .toLowerCase();

const isSource = (path: string) => /\.(ts|vue)$/.test(path);

const isTest = (path: string) => /\.(test|long)\.ts$|\/test\//.test(path);

const eachLine = ({ text }: SourceFile, problemsOf: (line: string) => string[]): string[] =>
  text
    .split('\n')
    .flatMap((line, at) => problemsOf(line.trimEnd()).map((problem) => `line ${at + 1} (${problem})`));

const longComments = (file: SourceFile) =>
  eachLine(file, (line) => (line.length > lineLimit && comment.test(line) ? [`${line.length} long`] : []));

const retiredWords = (file: SourceFile) =>
  eachLine(file, (line) => {
    const anywhere = splitWords(line).match(retired) ?? [];
    if (!isSource(file.path)) return [...anywhere];
    return [...anywhere, ...(splitWords(line.replace(commentsAndTexts, ' ')).match(retiredInCode) ?? [])];
  });

/** A list that is read in order, as migrations are: each name begins with a number of its own. */
const isOrdered = (names: readonly string[]) => {
  const numbers = names.map((name) => /^\d+/.exec(name)?.[0]);
  return !numbers.includes(undefined) && new Set(numbers).size === names.length;
};

const crowdedFolders = (sources: readonly SourceFile[]) => {
  const folders = new Map<string, string[]>();
  for (const { path } of sources) {
    if (isTest(path) || posix.basename(path) === 'index.ts') continue;
    const folder = posix.dirname(path);
    folders.set(folder, [...(folders.get(folder) ?? []), posix.basename(path)]);
  }
  return new Map([...folders].filter(([, names]) => names.length > folderLimit && !isOrdered(names)));
};

const importOf = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** Sources of fewer than `smallLimit` lines, without a test, that one other source imports. */
const smallFiles = (sources: readonly SourceFile[]) => {
  const users = new Map<string, Set<string>>();
  for (const { path, text } of sources)
    for (const [, name = ''] of text.matchAll(importOf)) {
      const target = posix.join(posix.dirname(path), name);
      users.set(target, (users.get(target) ?? new Set()).add(path));
    }
  return new Map(
    sources.flatMap(({ path, text }): [string, string[]][] => {
      const [user = '', other] = users.get(path) ?? [];
      const lines = text.trimEnd().split('\n').length;
      // Behind an index.ts it has more users; the name of an ordered file or of a config is its place.
      const isFree =
        !path.endsWith('.ts') || isTest(path) || /(^|\/)(index|[\w-]*config[\w-]*|\d[\w-]*)\.ts$/.test(path);
      if (isFree || other !== undefined || user === '' || isTest(user) || user.endsWith('/index.ts'))
        return [];
      return lines < smallLimit ? [[path, [`${lines} lines, used by ${user}`]]] : [];
    }),
  );
};

const byPath = (files: readonly SourceFile[], placesIn: (file: SourceFile) => string[]) =>
  new Map(
    files
      .map((file): [string, string[]] => [file.path, placesIn(file)])
      .filter(([, places]) => places.length > 0),
  );

/** Checks the sources of `apps` and `packages` and the pages of `docs`; `seen` counts files. */
export const inspectHouse = (root: string): { findings: Findings; seen: number } => {
  const below = (folder: string, name: RegExp) =>
    (existsSync(join(root, folder)) ? filesBelow(root, folder, name) : []).map((path) => ({
      path,
      text: readFileSync(join(root, path), 'utf8'),
    }));
  const sources = [...below('apps', /\.(ts|vue)$/), ...below('packages', /\.(ts|vue)$/)];
  const files = [...sources, ...below('docs', /\.md$/)];
  return {
    findings: {
      commentLines: byPath(sources, longComments),
      folders: crowdedFolders(sources),
      retiredWords: byPath(files, retiredWords),
      smallFiles: smallFiles(sources),
    },
    seen: files.length,
  };
};

const rules = ['commentLines', 'folders', 'retiredWords', 'smallFiles'] as const;

const titles: Record<keyof Exceptions, string> = {
  commentLines: `comment lines over ${lineLimit} characters`,
  folders: `sources in a folder (at most ${folderLimit})`,
  retiredWords: 'retired words',
  smallFiles: `files of one user with fewer than ${smallLimit} lines`,
};

const countOf = (allowed: Allowed[string] | undefined) =>
  typeof allowed === 'object' ? allowed.count : (allowed ?? 0);

/** One line for each path whose count differs from the exceptions, and each folder without a reason. */
export const complaintsOf = (findings: Findings, exceptions: Exceptions): string[] => [
  ...rules.flatMap((rule) =>
    [...new Set([...findings[rule].keys(), ...Object.keys(exceptions[rule])])].sort().flatMap((path) => {
      const places = findings[rule].get(path) ?? [];
      const allowed = countOf(exceptions[rule][path]);
      if (places.length === allowed) return [];
      const counts = `${path}: ${places.length} ${titles[rule]}, ${allowed} in the exceptions`;
      return places.length > allowed ? `${counts}: ${places.join(', ')}` : `${counts}: lower it with --write`;
    }),
  ),
  ...Object.entries(exceptions.folders)
    .filter(([, allowed]) => typeof allowed !== 'object' || !allowed.reason)
    .map(([path]) => `${path}: an exception without a reason`),
];

/** The exceptions with each count lowered to the findings, without unneeded ones. */
export const lowered = (findings: Findings, exceptions: Exceptions): Exceptions => {
  const lower = (rule: keyof Exceptions): Allowed =>
    Object.fromEntries(
      Object.entries(exceptions[rule]).flatMap(([path, allowed]): [string, Allowed[string]][] => {
        const count = Math.min(countOf(allowed), findings[rule].get(path)?.length ?? 0);
        if (count === 0) return [];
        return [[path, typeof allowed === 'object' ? { ...allowed, count } : count]];
      }),
    );
  return {
    commentLines: lower('commentLines'),
    folders: lower('folders'),
    retiredWords: lower('retiredWords'),
    smallFiles: lower('smallFiles'),
  };
};
