import { hostOf } from '@drawbridge/kit';
import { commandParts, plainCommand } from './plain-command.ts';
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
        toolGroup === 'shell' &&
        fingerprint !== undefined &&
        plainCommand(commandParts(resource)?.text ?? '') !== undefined
      );
    case 'server':
      return toolGroup === 'mcp' && /^[^/]+\/\*$/.test(resource);
    default:
      return reach satisfies never;
  }
};
