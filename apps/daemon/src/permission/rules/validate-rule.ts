import { hostOf } from '@drawbridge/kit';
import { commandIn, commandParts, plainCommand } from './plain-command.ts';
import { isPathGroup } from './resource.ts';
import type { Rule } from './rule.ts';

/** A public suffix such as `co.uk` or `github.io` has no owner whose subdomains could be meant. */
const hasOwner = async (host: string): Promise<boolean> => {
  const { getDomain } = await import('tldts');
  return getDomain(host, { allowPrivateDomains: true }) !== null;
};

/** Whether an allow rule's reach fits its resource: folder, owned host, named server, plain command. */
export const isValidRule = async ({ toolGroup, resource, reach, fingerprint }: Rule): Promise<boolean> => {
  switch (reach) {
    case undefined:
      return true;
    case 'folder':
      return isPathGroup(toolGroup) && resource.startsWith('/') && resource.endsWith('/');
    case 'subdomains': {
      const host = toolGroup === 'browser' ? hostOf(resource) : null;
      return host !== null && hasOwner(host.name);
    }
    case 'words':
      return (
        (toolGroup === 'shell' || toolGroup === 'network') &&
        fingerprint !== undefined &&
        plainCommand(commandParts(commandIn(resource))?.text ?? '') !== undefined
      );
    case 'server':
      return toolGroup === 'mcp' && /^[^/]+\/\*$/.test(resource);
    case 'host':
      // It holds for the session at most, so no list that lasts has it.
      return false;
    default:
      return reach satisfies never;
  }
};
