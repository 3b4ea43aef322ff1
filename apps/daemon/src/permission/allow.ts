import { posix } from 'node:path';
import { hostOf, isSubdomain } from './host.ts';
import type { Resource } from './resource.ts';
import type { Rule } from './rules.ts';

const isPathGroup = ({ toolGroup }: Rule) =>
  toolGroup === 'filesystemRead' || toolGroup === 'filesystemWrite';

/** Absolute, without `.`, `..` or an empty name: nothing in it can lead elsewhere than it says. */
const isStraight = (path: string) => path.startsWith('/') && posix.normalize(path) === path;

/** What lies below the folder, byte for byte. For writes not a whole folder at once: nobody was shown what it holds. */
const coversBelow = (rule: Rule, { toolGroup, resource }: Resource): boolean => {
  const folder = rule.resource;
  if (!isPathGroup(rule) || !folder.endsWith('/') || !isStraight(folder) || !isStraight(resource))
    return false;
  const isFolderItself = resource === folder || `${resource}/` === folder;
  if (toolGroup === 'filesystemRead') return isFolderItself || resource.startsWith(folder);
  return !isFolderItself && resource.startsWith(folder) && !resource.endsWith('/');
};

/** The host itself and what is below it, at the same port. */
const coversSubdomains = (rule: Rule, { resource }: Resource): boolean => {
  const [own, host] = [hostOf(resource), hostOf(rule.resource)];
  if (rule.toolGroup !== 'browser' || own === null || host === null || own.port !== host.port) return false;
  return own.name === host.name || isSubdomain(own.name, host.name);
};

/** Every tool of the server, as long as its command is the one that was allowed. */
const coversServer = (rule: Rule, { resource, serverFingerprint }: Resource): boolean =>
  rule.toolGroup === 'mcp' &&
  rule.resource.endsWith('/*') &&
  resource.startsWith(rule.resource.slice(0, -1)) &&
  serverFingerprint !== undefined &&
  rule.fingerprint === serverFingerprint;

/** Whether an allow rule covers a resource. Narrow: byte for byte what the person was shown, or within what they picked. */
export const covers = (rule: Rule, resource: Resource): boolean => {
  if (rule.toolGroup !== resource.toolGroup) return false;
  switch (rule.reach) {
    case undefined:
      return rule.resource === resource.resource && rule.fingerprint === resource.fingerprint;
    case 'folder':
      return coversBelow(rule, resource);
    case 'subdomains':
      return coversSubdomains(rule, resource);
    case 'server':
      return coversServer(rule, resource);
    default:
      return rule.reach satisfies never;
  }
};
