import { realpathSync } from 'node:fs';
import { toolGroup, type ToolGroup } from '@drawbridge/contracts';
import { z } from 'zod';
import { commandWords } from './command-words.ts';
import type { Resource } from './resource.ts';

/** What the person settled: in an allow list it holds for exactly this, in a deny list for all that it may mean. */
export const rule = z.strictObject({
  toolGroup,
  resource: z.string().min(1).max(200_000),
  fingerprint: z.string().max(128).optional(),
});
export type Rule = z.infer<typeof rule>;

const plain = /^[\x20-\x7e]*$/;
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** One spelling for all that a disk or an eye may take for the same: letter case, composed letters, invisible marks. */
const fold = (text: string): string =>
  plain.test(text)
    ? text.toLowerCase()
    : text.normalize('NFKC').replace(invisible, '').toUpperCase().toLowerCase();

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);
const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

/** A command's text without the working folder in front, which `"<folder>" $ ` marks. */
const commandOf = (resource: string) => resource.replace(/^"(?:[^"\\]|\\.)*" \$ /, '');

/** A deny rule with what it means spelt out. */
export interface Denial {
  toolGroup: ToolGroup;
  text: string;
  /** Of a path: as the rule says it, and where that leads now. */
  paths: string[];
  /** Of a command: the programs that it names. */
  commands: string[][];
}

const isPathGroup = (group: ToolGroup) => group === 'filesystemRead' || group === 'filesystemWrite';

const leadsTo = (path: string): string[] => {
  try {
    return [path, realpathSync(path)];
  } catch {
    return [path];
  }
};

/** Rules -> what they mean at this moment: a rule for a link holds for what the link points at. */
export const prepareDenials = (rules: readonly Rule[]): Denial[] =>
  rules.map(({ toolGroup: group, resource }) => ({
    toolGroup: group,
    text: fold(resource),
    paths: isPathGroup(group) ? leadsTo(resource).map((path) => withoutSlash(fold(path))) : [],
    commands: group === 'shell' ? commandWords(commandOf(resource)) : [],
  }));

/** A path rule covers what lies below it; a write to a whole tree (a trailing `/`) also meets the rules inside it. */
const deniesPath = (denied: string, resource: Resource, folded: string): boolean => {
  const own = withoutSlash(folded);
  const touchesTree = resource.toolGroup === 'filesystemWrite' && folded.endsWith('/');
  return isWithin(own, denied) || (touchesTree && isWithin(denied, own));
};

/** What may not be read may not be written either. */
const speaksFor = (group: ToolGroup, resource: Resource) =>
  group === resource.toolGroup || (group === 'filesystemRead' && resource.toolGroup === 'filesystemWrite');

/** One spelling of a resource, ready to be compared with many rules. */
interface Spelling {
  text: string;
  folded: string;
}

const meets = (denial: Denial, resource: Resource, { text, folded }: Spelling): boolean => {
  if (denial.text === folded || denial.paths.some((path) => deniesPath(path, resource, folded))) return true;
  if (denial.commands.length === 0) return false;
  const found = commandWords(commandOf(text));
  return denial.commands.some((wanted) => found.some((own) => wanted.every((word, at) => own[at] === word)));
};

/** Broad: the resource, its other spellings, and for commands the programs that it would start. */
export const isDenied = (denials: readonly Denial[], resource: Resource): boolean => {
  const speaking = denials.filter((denial) => speaksFor(denial.toolGroup, resource));
  if (speaking.length === 0) return false;
  const spellings = [resource.resource, ...(resource.aliases ?? [])].map((text) => ({
    text,
    folded: fold(text),
  }));
  return speaking.some((denial) => spellings.some((spelling) => meets(denial, resource, spelling)));
};

/** Narrow: byte for byte what the person was shown. */
export const isAllowed = (allowed: readonly Rule[], resource: Resource): boolean =>
  allowed.some(
    (one) =>
      one.toolGroup === resource.toolGroup &&
      one.resource === resource.resource &&
      one.fingerprint === resource.fingerprint,
  );
