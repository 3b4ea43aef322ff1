import type { ToolGroup } from '@drawbridge/contracts/groups';
import { realPathOf } from '../../program/quiet-files.ts';
import { createDeniedCommands, type DeniedCommands } from './denied-commands.ts';
import { normalizeText } from '../../text/normalize.ts';
import { isSubdomain, meantHostOf, type Host } from '@drawbridge/kit';
import { networkParts } from './plain-command.ts';
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
  /** Of a rule for browser or network: the host in one spelling, with its subdomains by the reach. */
  host: Host | null;
}

/** The deny rules as they are compared: each for itself, and the commands of all in one tree. */
export interface Denials {
  each: readonly Denial[];
  commands: DeniedCommands;
}

/** The host in a resource of `network`, whatever the command, and whether it is a local one. */
const networkHost = (resource: string): string =>
  (networkParts(resource)?.host ?? resource).replace(/^local:/, '').replace(/^\*\./, '');

const hostIn = (group: ToolGroup, resource: string): Host | null => {
  if (group === 'network') return meantHostOf(networkHost(resource));
  return group === 'browser' ? meantHostOf(resource) : null;
};

const leadsTo = (path: string): string[] => [path, realPathOf(path) ?? path];

/** What rules mean as long as they stand: a rule set is read once. Its paths may lead elsewhere later. */
const readOnce = new WeakMap<readonly Rule[], { each: Omit<Denial, 'paths'>[]; commands: DeniedCommands }>();

const readRules = (rules: readonly Rule[]) => {
  const known = readOnce.get(rules);
  if (known !== undefined) return known;
  const commands = createDeniedCommands();
  const each = rules.map((rule, at) => {
    const { toolGroup: group, resource, reach } = rule;
    if (group === 'shell') commands.add(commandOf(resource), at);
    return {
      rule,
      prefix: reach === 'server' ? normalizeText(resource.slice(0, resource.lastIndexOf('/') + 1)) : null,
      text: normalizeText(resource),
      host: hostIn(group, resource),
    };
  });
  const read = { each, commands };
  readOnce.set(rules, read);
  return read;
};

/** Rules -> what they mean at this moment: a rule for a link holds for what the link points at. */
export const prepareDenials = (rules: readonly Rule[]): Denials => {
  const { each, commands } = readRules(rules);
  const pathsOf = ({ toolGroup, resource }: Rule) =>
    isPathGroup(toolGroup) ? leadsTo(resource).map((path) => withoutSlash(normalizeText(path))) : [];
  return { each: each.map((denial) => ({ ...denial, paths: pathsOf(denial.rule) })), commands };
};

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
  const own = host === null ? null : hostIn(rule.toolGroup, text);
  if (host === null || own === null) return false;
  return own.name === host.name || (rule.reach === 'subdomains' && isSubdomain(own.name, host.name));
};

const meets = (denial: Denial, resource: Resource, { text, normalized }: Spelling): boolean => {
  if (denial.prefix !== null && normalized.startsWith(denial.prefix)) return true;
  if (meetsHost(denial, text)) return true;
  return denial.text === normalized || denial.paths.some((path) => deniesPath(path, resource, normalized));
};

/** The first denial that meets a resource, its other spellings, or the programs that a command starts. */
export const findDenial = ({ each, commands }: Denials, resource: Resource): Denial | undefined => {
  if (!each.some(({ rule }) => appliesTo(rule.toolGroup, resource))) return undefined;
  const spellings = [resource.resource, ...(resource.aliases ?? [])].map((text) => ({
    text,
    normalized: normalizeText(text),
  }));
  const named = each.findIndex(
    (denial) =>
      appliesTo(denial.rule.toolGroup, resource) &&
      spellings.some((spelling) => meets(denial, resource, spelling)),
  );
  const started =
    resource.toolGroup === 'shell' ? spellings.map(({ text }) => commands.firstMet(commandOf(text))) : [];
  const met = [named === -1 ? undefined : named, ...started].filter((at) => at !== undefined);
  return met.length === 0 ? undefined : each[Math.min(...met)];
};
