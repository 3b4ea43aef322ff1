import { browserFacts } from './browser/facts.ts';
import { toListed, type Listed } from './entry.ts';
import { filesystemTools } from './filesystem/index.ts';
import { activateFacts } from './system/activate-tools.ts';

/**
 * What the server is told of the tools that every start offers. The build puts the value in the place of this module, so
 * that a start neither loads them nor turns their schemas into JSON.
 */
export const listed = {
  filesystem: filesystemTools.map(toListed),
  browser: browserFacts.map(toListed),
  system: [toListed(activateFacts)],
} satisfies Record<string, Listed[]>;
