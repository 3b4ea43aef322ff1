import { posix } from 'node:path';
import { hostOf, isSubdomain } from '@drawbridge/kit';
import { commandIn, commandParts, plainCommand } from './plain-command.ts';
import { isPathGroup, type Resource } from './resource.ts';
import type { Rule } from './rule.ts';

/** Absolute, without `.`, `..` or an empty name: nothing in it can lead elsewhere than it says. */
const isStraight = (path: string) => path.startsWith('/') && posix.normalize(path) === path;

/** What lies below the folder, byte for byte. Writes: not the whole folder, whose content was not shown. */
const coversBelow = (rule: Rule, { toolGroup, resource }: Resource): boolean => {
  const folder = rule.resource;
  if (!isPathGroup(rule.toolGroup) || !folder.endsWith('/') || !isStraight(folder) || !isStraight(resource))
    return false;
  const isFolderItself = resource === folder || `${resource}/` === folder;
  if (toolGroup === 'filesystemRead') return isFolderItself || resource.startsWith(folder);
  return !isFolderItself && resource.startsWith(folder) && !resource.endsWith('/');
};

const coversSubdomains = (rule: Rule, { resource }: Resource): boolean => {
  const [own, host] = [hostOf(resource), hostOf(rule.resource)];
  if (rule.toolGroup !== 'browser' || own === null || host === null || own.port !== host.port) return false;
  return own.name === host.name || isSubdomain(own.name, host.name);
};

const coversServer = (rule: Rule, { resource, serverFingerprint }: Resource): boolean =>
  rule.toolGroup === 'mcp' &&
  rule.resource.endsWith('/*') &&
  resource.startsWith(rule.resource.slice(0, -1)) &&
  serverFingerprint !== undefined &&
  rule.fingerprint === serverFingerprint;

/** The same program file in the same folder and the same host, with the rule's words and plain ones after. */
const coversWords = (rule: Rule, { resource, programFingerprint }: Resource): boolean =>
  (rule.toolGroup === 'shell' || rule.toolGroup === 'network') &&
  programFingerprint !== undefined &&
  rule.fingerprint === programFingerprint &&
  plainCommand(commandParts(commandIn(resource))?.text ?? '') !== undefined &&
  (resource === rule.resource || resource.startsWith(`${rule.resource} `));

/** Whether an allow rule covers a resource: byte for byte what was shown, or within the chosen scope. */
export const covers = (rule: Rule, resource: Resource): boolean => {
  if (rule.toolGroup !== resource.toolGroup) return false;
  switch (rule.reach) {
    case undefined:
      return (
        (rule.resource === resource.resource || rule.resource === resource.includedIn) &&
        rule.fingerprint === resource.fingerprint
      );
    case 'folder':
      return coversBelow(rule, resource);
    case 'subdomains':
      return coversSubdomains(rule, resource);
    case 'server':
      return coversServer(rule, resource);
    case 'words':
      return coversWords(rule, resource);
    case 'host':
      return rule.toolGroup === 'network' && rule.resource === resource.anyCommand;
    default:
      return rule.reach satisfies never;
  }
};
