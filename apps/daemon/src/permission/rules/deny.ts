import type { ToolGroup } from '@drawbridge/contracts/groups';
import { realPathOf } from '../../program/quiet-files.ts';
import { commandWords } from './command-words.ts';
import { normalizeText } from '../../text/normalize.ts';
import { isSubdomain, meantHostOf, type Host } from '@drawbridge/kit';
import { isPathGroup, type Resource } from './resource.ts';
import type { Rule } from './rule.ts';

// Its own: the start of the program loads nothing of `paths`.
const isWithin = (path: string, folder: string) =>
  path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);

const withoutSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path);

/** A command's text without the working folder in front, which `"<folder>" $ ` marks. */
const commandOf = (resource: string) => resource.replace(/^"(?:[^"\\]|\\.)*" \$ /, '');

export interface Denial {
  rule: Rule;
  /** The prefix that a rule for `<server>/` stands for; null for all other rules. */
  prefix: string | null;
  text: string;
  /** Of a path: as the rule says it, and where that leads now. */
  paths: string[];
  commands: string[][];
  /** Of a browser rule: the host in one spelling; its subdomains match where the rule has that reach. */
  host: Host | null;
}

const leadsTo = (path: string): string[] => [path, realPathOf(path) ?? path];

/** Rules -> what they mean at this moment: a rule for a link holds for what the link points at. */
export const prepareDenials = (rules: readonly Rule[]): Denial[] =>
  rules.map((rule) => {
    const { toolGroup: group, resource, reach } = rule;
    return {
      rule,
      prefix: reach === 'server' ? normalizeText(resource.slice(0, resource.lastIndexOf('/') + 1)) : null,
      text: normalizeText(resource),
      paths: isPathGroup(group) ? leadsTo(resource).map((path) => withoutSlash(normalizeText(path))) : [],
      commands: group === 'shell' ? commandWords(commandOf(resource)) : [],
      host: group === 'browser' ? meantHostOf(resource) : null,
    };
  });

/** Paths that deny rules keep from every tool, as written and as resolved, with all below them. */
export interface DeniedPaths {
  read: string[];
  /** Those of `read` are in it too. */
  write: string[];
}

export const deniedPaths = (rules: readonly Rule[]): DeniedPaths => {
  const of = (group: ToolGroup) =>
    rules
      .filter((rule) => rule.toolGroup === group)
      .flatMap(({ resource }) => leadsTo(withoutSlash(resource)))
      .filter((path) => path.startsWith('/'));
  const read = [...new Set(of('filesystemRead'))];
  return { read, write: [...new Set([...read, ...of('filesystemWrite')])] };
};

/** Covers what lies below the path; a write to a whole tree (a trailing `/`) also meets rules inside it. */
const deniesPath = (denied: string, resource: Resource, normalized: string): boolean => {
  const own = withoutSlash(normalized);
  const touchesTree = resource.toolGroup === 'filesystemWrite' && normalized.endsWith('/');
  return isWithin(own, denied) || (touchesTree && isWithin(denied, own));
};

/** What may not be read may not be written either. */
const appliesTo = (group: ToolGroup, resource: Resource) =>
  group === resource.toolGroup || (group === 'filesystemRead' && resource.toolGroup === 'filesystemWrite');

interface Spelling {
  text: string;
  normalized: string;
}

const meetsHost = ({ host, rule }: Denial, text: string): boolean => {
  const own = host === null ? null : meantHostOf(text);
  if (host === null || own === null) return false;
  return own.name === host.name || (rule.reach === 'subdomains' && isSubdomain(own.name, host.name));
};

const meets = (denial: Denial, resource: Resource, { text, normalized }: Spelling): boolean => {
  if (denial.prefix !== null && normalized.startsWith(denial.prefix)) return true;
  if (meetsHost(denial, text)) return true;
  if (denial.text === normalized || denial.paths.some((path) => deniesPath(path, resource, normalized)))
    return true;
  if (denial.commands.length === 0) return false;
  const commands = commandWords(commandOf(text));
  return denial.commands.some((wanted) =>
    commands.some((own) => wanted.every((word, at) => own[at] === word)),
  );
};

/** The first denial that meets a resource, its other spellings, or the programs that a command starts. */
export const findDenial = (denials: readonly Denial[], resource: Resource): Denial | undefined => {
  const applicable = denials.filter(({ rule }) => appliesTo(rule.toolGroup, resource));
  if (applicable.length === 0) return undefined;
  const spellings = [resource.resource, ...(resource.aliases ?? [])].map((text) => ({
    text,
    normalized: normalizeText(text),
  }));
  return applicable.find((denial) => spellings.some((spelling) => meets(denial, resource, spelling)));
};
