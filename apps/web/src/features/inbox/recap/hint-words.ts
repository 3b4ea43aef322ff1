import type { Repeated } from '@drawbridge/contracts/machines/repeated';

/** What stands around the name of what was allowed: "a change of … 3 times". */
export const allowedWords = ({ toolGroup, host }: Repeated): { before: string; after: string } => {
  switch (toolGroup) {
    case 'filesystemWrite':
      return { before: 'a change of ', after: '' };
    case 'filesystemRead':
      return { before: 'reading ', after: '' };
    case 'browser':
      return { before: 'visits to ', after: '' };
    case 'network':
      return { before: '', after: ` to connect to ${host ?? ''}` };
    default:
      return { before: '', after: '' };
  }
};

/** What the rule would permit, which may be more than what was asked: "for exactly this command in /site". */
export const ruleWords = ({ toolGroup, folder, host }: Repeated): string => {
  switch (toolGroup) {
    case 'filesystemWrite':
      return 'to change or delete exactly this file';
    case 'filesystemRead':
      return 'to read exactly this file';
    case 'browser':
      return 'to visit exactly this host';
    case 'network':
      return `to let exactly this command in ${folder ?? ''} connect to ${host ?? ''}`;
    case 'mcp':
      return 'to call exactly this tool as it is now';
    default:
      return `for exactly this command in ${folder ?? ''}`;
  }
};
