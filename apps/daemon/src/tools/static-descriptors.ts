import { browserFacts } from './browser/facts.ts';
import { toDescribedTool, type DescribedTool } from './common/lazy-tool.ts';
import { filesystemTools } from './filesystem/index.ts';
import { activateFacts } from './system/activate-tools.ts';

/** The descriptors of static tools. The build replaces this module by its value: a start loads no tools. */
export const descriptors = {
  filesystem: filesystemTools.map(toDescribedTool),
  browser: browserFacts.map(toDescribedTool),
  system: [toDescribedTool(activateFacts)],
} satisfies Record<string, DescribedTool[]>;
