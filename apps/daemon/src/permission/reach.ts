import { homedir } from 'node:os';
import type { Decision, Reach, ToolGroup } from '@drawbridge/contracts';
import { needsOwnYes } from './guarded.ts';
import type { Resource } from './resource.ts';
import type { ReachKind, Rule } from './rules.ts';
import { isSound } from './sound.ts';
import { visible } from './show.ts';

/** A reach as it is offered, and the rules that it stands for. */
export interface OfferedReach {
  reach: Reach & { decisions: Decision[] };
  rules: Rule[];
}

/** How long the allowance lasts that ends by itself. */
const shortMs = 15 * 60_000;

const maxLabelLength = 4_096;

const shortPath = (path: string, home: string): string => {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (plain === home) return '~';
  return plain.startsWith(`${home}/`) ? `~${plain.slice(home.length)}` : plain;
};

const pathWords: Partial<Record<ToolGroup, string>> = { filesystemRead: 'read', filesystemWrite: 'write' };

const commandFolder = (resource: string): string | undefined => {
  const quoted = /^"(?:[^"\\]|\\.)*"(?= \$ )/.exec(resource)?.[0];
  const folder: unknown = quoted === undefined ? undefined : JSON.parse(quoted);
  return typeof folder === 'string' ? folder : undefined;
};

const exactWords = (rule: Rule, home: string): string => {
  const { toolGroup, resource } = rule;
  const doing = pathWords[toolGroup];
  if (doing !== undefined) {
    const path = shortPath(resource, home);
    return resource.endsWith('/') ? `${doing} all of ${path} at once` : `${doing} ${path}`;
  }
  if (toolGroup === 'browser') return `visit ${resource}`;
  if (toolGroup === 'mcp') {
    const at = resource.indexOf('/');
    return `call ${resource.slice(at + 1)} of the MCP server ${resource.slice(0, at)}`;
  }
  if (toolGroup !== 'shell') return `use ${resource}`;
  const folder = commandFolder(resource);
  return folder === undefined ? `run ${resource}` : `run exactly this command in ${shortPath(folder, home)}`;
};

/** What a rule covers, in words such as "write in ~/project/docs and below", with nothing in them that cannot be seen. */
const ruleInWords = (rule: Rule, home = homedir()): string => {
  const { toolGroup, resource, reach } = rule;
  switch (reach) {
    case undefined:
      return visible(exactWords(rule, home));
    case 'folder':
      return visible(`${pathWords[toolGroup] ?? 'use'} in ${shortPath(resource, home)} and below`);
    case 'subdomains':
      return visible(`visit ${resource} and its subdomains`);
    case 'server':
      return visible(`call every tool of the MCP server ${resource.replace(/\/\*$/, '')}`);
    default:
      return reach satisfies never;
  }
};

const maxListedLength = 2_000;

/** The same for a list of rules, where nothing else says which command it is; a long one is cut, with its length. */
export const ruleInFull = (rule: Rule, home = homedir()): string => {
  const folder = rule.toolGroup === 'shell' ? commandFolder(rule.resource) : undefined;
  const command = rule.resource.slice(JSON.stringify(folder ?? '').length + 3);
  const words =
    folder === undefined ? ruleInWords(rule, home) : visible(`run in ${shortPath(folder, home)}: ${command}`);
  return words.length <= maxListedLength
    ? words
    : `${words.slice(0, maxListedLength)}… (${words.length} characters)`;
};

/** The rule for exactly a resource. */
export const exactRule = ({ toolGroup, resource, fingerprint }: Resource): Rule => ({
  toolGroup,
  resource,
  ...(fingerprint !== undefined && { fingerprint }),
});

/** The next wider rule that a person can pick for a resource, if there is one. */
const widerRule = async (
  resource: Resource,
  root: string,
): Promise<(Rule & { reach: ReachKind }) | undefined> => {
  const { toolGroup, folder, serverFingerprint } = resource;
  if (pathWords[toolGroup] !== undefined) {
    const base = root.endsWith('/') ? root : `${root}/`;
    const isInside = folder !== undefined && folder.startsWith(base);
    return isInside ? { toolGroup, resource: folder, reach: 'folder' } : undefined;
  }
  if (toolGroup === 'browser') {
    const wider = { toolGroup, resource: resource.resource, reach: 'subdomains' as const };
    return (await isSound(wider)) ? wider : undefined;
  }
  if (toolGroup !== 'mcp' || serverFingerprint === undefined) return undefined;
  const server = resource.resource.slice(0, resource.resource.indexOf('/'));
  return { toolGroup, resource: `${server}/*`, reach: 'server', fingerprint: serverFingerprint };
};

const distinct = (words: readonly string[]) => [...new Set(words)];

const offer = (scope: string, rules: Rule[]): OfferedReach[] => {
  const label = distinct(rules.map((rule) => ruleInWords(rule))).join('; ');
  if (label.length > maxLabelLength) return [];
  const lasting: Decision[] = ['allowForSession', 'alwaysAllow', 'alwaysDeny'];
  return [
    { rules, reach: { id: scope, scope, label, decisions: lasting } },
    {
      rules,
      reach: { id: `${scope}-15-minutes`, scope, label, decisions: ['allowForSession'], durationMs: shortMs },
    },
  ];
};

/**
 * What can be chosen beside a lasting decision about these resources: exactly them, and one step wider where all of them
 * have such a step. What is guarded has none.
 */
export const offerReaches = async (asking: readonly Resource[], root: string): Promise<OfferedReach[]> => {
  const exact = offer('exact', asking.map(exactRule));
  if (asking.some((resource) => needsOwnYes(root, resource))) return exact;
  const steps = await Promise.all(asking.map((resource) => widerRule(resource, root)));
  const wider = steps.flatMap((rule) => rule ?? []);
  if (wider.length < asking.length) return exact;
  const kinds = distinct(wider.map(({ reach }) => reach));
  return kinds.length === 1 ? [...exact, ...offer(kinds[0] ?? '', wider)] : exact;
};
