import { homedir } from 'node:os';
import type { Reach } from '@drawbridge/contracts/confirmation-payload';
import type { Decision, ToolGroup } from '@drawbridge/contracts/groups';
import { runtimeTitle } from '@drawbridge/contracts/machines/runtimes';
import { cutText } from '@drawbridge/kit';
import { needsExactRule } from './sensitive-paths.ts';
import { commandIn, commandParts, gitParts, networkParts } from './plain-command.ts';
import type { Resource } from './resource.ts';
import { callerWords, type RuleCaller } from './rule-caller.ts';
import { coverOf, type ScopeKind, type Rule } from './rule.ts';
import { isValidRule } from './validate-rule.ts';

export interface OfferedScope {
  reach: Reach & { decisions: Decision[] };
  rules: Rule[];
}

const shortMs = 15 * 60_000;

const maxLabelLength = 4_096;

const shortPath = (path: string, home: string): string => {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (plain === home) return '~';
  return plain.startsWith(`${home}/`) ? `~${plain.slice(home.length)}` : plain;
};

const pathWords: Partial<Record<ToolGroup, string>> = {
  filesystemRead: 'read',
  filesystemWrite: 'change or delete',
};

const inputWords: Record<string, string> = {
  screen: 'take screenshots',
  mouse: 'control the mouse',
  keyboard: 'type and press keys',
};

const gitWords = ({ access, repository }: { access: string; repository: string }): string =>
  access === 'push' ? `push to ${repository} and fetch from it` : `fetch from ${repository}`;

const exactWords = (rule: Rule, home: string): string => {
  const { toolGroup, resource } = rule;
  const doing = pathWords[toolGroup];
  if (doing !== undefined) {
    const path = shortPath(resource, home);
    if (!resource.endsWith('/')) return `${doing} ${path}`;
    return toolGroup === 'filesystemWrite' ? `delete or move the folder ${path}` : `read all of ${path}`;
  }
  if (toolGroup === 'browser') return `visit ${resource}`;
  if (toolGroup === 'mcp') {
    const at = resource.indexOf('/');
    return `call ${resource.slice(at + 1)} of the MCP server ${resource.slice(0, at)}`;
  }
  if (toolGroup === 'computer') return inputWords[resource] ?? `use ${resource}`;
  const connection = toolGroup === 'network' ? networkParts(resource) : undefined;
  if (connection !== undefined) return `let only this exact command connect to ${connection.host}`;
  const git = toolGroup === 'network' ? gitParts(resource) : undefined;
  if (git !== undefined) return `let any sandboxed command ${gitWords(git)} with your git login`;
  if (toolGroup === 'network') return `let commands connect to ${resource}`;
  if (toolGroup !== 'shell') return `use ${resource}`;
  const parts = commandParts(resource);
  return parts === undefined
    ? `run any command with ${resource}`
    : `run only this exact command in ${shortPath(parts.folder, home)}`;
};

const furtherWords = (resource: string, home: string): string => {
  const { folder, text = resource } = commandParts(commandIn(resource)) ?? {};
  const connection = resource.startsWith('"') ? undefined : networkParts(resource);
  const place = folder === undefined ? '' : ` in ${shortPath(folder, home)}`;
  const doing = connection === undefined ? 'run' : `connect to ${connection.host} from`;
  return `${doing} \`${text}\` with any further plain words${place}`;
};

const anyCommandWords = (resource: string, home: string): string => {
  const { host, command } = networkParts(resource) ?? { host: resource, command: '' };
  const { folder = command } = commandParts(`${command} $ `) ?? {};
  return `let any sandboxed command in ${shortPath(folder, home)} connect to ${host}`;
};

/** A rule in words, such as "change or delete files in ~/docs and below"; escape it before it is drawn. */
const ruleInWords = (rule: Rule, home = homedir()): string => {
  const { toolGroup, resource, reach } = rule;
  switch (reach) {
    case undefined:
      return exactWords(rule, home);
    case 'folder':
      return `${pathWords[toolGroup] ?? 'use'} files in ${shortPath(resource, home)} and below`;
    case 'subdomains':
      return `visit ${resource} and its subdomains`;
    case 'words':
      return furtherWords(resource, home);
    case 'host':
      return anyCommandWords(resource, home);
    case 'server':
      return `call every tool of the MCP server ${resource.replace(/\/\*$/, '')}`;
    default:
      return reach satisfies never;
  }
};

/** Follows what a rule covers, and is never cut. */
const forWhom = (caller: RuleCaller | undefined): string =>
  caller === undefined ? '' : `, only for ${callerWords(caller)}`;

/** A rule for a command of a coding agent holds for that one alone. */
const forCodingAgent = ({ fingerprint = '' }: Rule): string => {
  const id = /^runtime:(.+)$/.exec(fingerprint)?.[1];
  return id === undefined ? '' : `, only for the coding agent ${runtimeTitle(id)}`;
};

const maxListedLength = 2_000;

/** The same for a list, where the command must be named; a long one is cut, with its length. */
export const ruleInFull = (rule: Rule, home = homedir()): string => {
  const isExact = rule.reach === undefined && (rule.toolGroup === 'shell' || rule.toolGroup === 'network');
  const parts = isExact ? commandParts(commandIn(rule.resource)) : undefined;
  const host = rule.toolGroup === 'network' ? networkParts(rule.resource)?.host : undefined;
  const doing = host === undefined ? 'run' : `connect to ${host}`;
  const words =
    parts === undefined
      ? ruleInWords(rule, home)
      : `${doing} in ${shortPath(parts.folder, home)}: ${parts.text}`;
  const listed =
    words.length <= maxListedLength
      ? words
      : `${cutText(words, maxListedLength)}… (${words.length} characters)`;
  return listed + forCodingAgent(rule) + forWhom(rule.caller);
};

export const exactRule = ({ toolGroup, resource, fingerprint }: Resource): Rule => ({
  toolGroup,
  resource,
  ...(fingerprint !== undefined && { fingerprint }),
});

const widerRule = async (
  resource: Resource,
  root: string,
): Promise<(Rule & { reach: ScopeKind }) | undefined> => {
  const { toolGroup, folder, serverFingerprint } = resource;
  if (pathWords[toolGroup] !== undefined) {
    const base = root.endsWith('/') ? root : `${root}/`;
    const isInside = folder !== undefined && folder.startsWith(base);
    return isInside ? { toolGroup, resource: folder, reach: 'folder' } : undefined;
  }
  if (toolGroup === 'browser') {
    const wider = { toolGroup, resource: resource.resource, reach: 'subdomains' as const };
    return (await isValidRule(wider)) ? wider : undefined;
  }
  if (toolGroup === 'shell' || toolGroup === 'network') {
    const { programFingerprint: fingerprint } = resource;
    if (fingerprint === undefined) return undefined;
    const wider = { toolGroup, resource: resource.resource, reach: 'words' as const, fingerprint };
    return (await isValidRule(wider)) ? wider : undefined;
  }
  if (toolGroup !== 'mcp' || serverFingerprint === undefined) return undefined;
  const server = resource.resource.slice(0, resource.resource.indexOf('/'));
  return { toolGroup, resource: `${server}/*`, reach: 'server', fingerprint: serverFingerprint };
};

const distinct = (words: readonly string[]) => [...new Set(words)];

const lasting: Decision[] = ['allowForSession', 'alwaysAllow', 'alwaysDeny'];

interface Offer {
  scope: string;
  rules: Rule[];
  decisions?: Decision[];
}

const offer = ({ scope, rules, decisions = lasting }: Offer, caller?: RuleCaller): OfferedScope[] => {
  const label = distinct(rules.map((rule) => ruleInWords(rule))).join('; ') + forWhom(caller);
  if (label.length > maxLabelLength) return [];
  const made = caller === undefined ? rules : rules.map((rule) => ({ ...rule, caller }));
  const common = {
    scope: caller === undefined ? scope : `${scope}-caller`,
    label,
    covers: made.map(coverOf),
    ...(caller && { caller: callerWords(caller) }),
  };
  const short = { decisions: ['allowForSession' as const], durationMs: shortMs };
  return [
    { rules: made, reach: { ...common, id: common.scope, decisions } },
    { rules: made, reach: { ...common, id: `${common.scope}-15-minutes`, ...short } },
  ];
};

const isForAnyCommand = ({ anyCommand }: Resource): boolean => anyCommand !== undefined;

/** The host for all commands of the folder; what is no host stays exact. */
const anyCommandRule = (resource: Resource): Rule =>
  resource.anyCommand === undefined
    ? exactRule(resource)
    : { toolGroup: resource.toolGroup, resource: resource.anyCommand, reach: 'host' };

/** One step wider, where all have one of the same kind. */
const offerWider = async (asking: readonly Resource[], root: string): Promise<Offer[]> => {
  const steps = await Promise.all(asking.map((resource) => widerRule(resource, root)));
  const wider = steps.flatMap((rule) => rule ?? []);
  const kinds = distinct(wider.map(({ reach }) => reach));
  return wider.length < asking.length || kinds.length !== 1 ? [] : [{ scope: kinds[0] ?? '', rules: wider }];
};

const offersOf = async (asking: readonly Resource[], root: string): Promise<Offer[]> => {
  const exact = { scope: 'exact', rules: asking.map(exactRule) };
  if (asking.some((resource) => needsExactRule(root, resource))) return [exact];
  const hosts: Offer = {
    scope: 'host',
    rules: asking.map(anyCommandRule),
    decisions: ['allowForSession'],
  };
  return [exact, ...(await offerWider(asking, root)), ...(asking.some(isForAnyCommand) ? [hosts] : [])];
};

/**
 * The scopes of a lasting decision: exactly these resources, one step wider, and any command; each for every
 * caller, and for the one who asks where it is known.
 */
export const offerScopes = async (
  asking: readonly Resource[],
  { root, caller }: { root: string; caller?: RuleCaller | undefined },
): Promise<OfferedScope[]> => {
  const offers = await offersOf(asking, root);
  const ofCaller = caller === undefined ? [] : offers.flatMap((one) => offer(one, caller));
  return [...offers.flatMap((one) => offer(one)), ...ofCaller];
};
