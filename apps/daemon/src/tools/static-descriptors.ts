import { browserFacts } from './browser/facts.ts';
import { toDescribedTool, type DescribedTool } from './common/lazy-tool.ts';
import { filesystemTools } from './filesystem/index.ts';
import { activateFacts } from './system/activate-tools.ts';

/**
 * The descriptors of the tools that every start offers. The build replaces this module by its value, so that a start
 * neither loads the tools nor turns their schemas into JSON.
 */
export const descriptors = {
  filesystem: filesystemTools.map(toDescribedTool),
  browser: browserFacts.map(toDescribedTool),
  system: [toDescribedTool(activateFacts)],
} satisfies Record<string, DescribedTool[]>;
