import type { ToolFacts } from '../common/tool.ts';
import { listedTools, type ListedTool } from './list.ts';
import { saveDownloadFacts } from './downloads/save-download.ts';

export const factsOf = (tool: ListedTool) =>
  ({ ...tool, group: 'browser', category: 'browser' }) satisfies ToolFacts;

/** What stands fixed of every tool of the browser, in the order in which they are offered. */
export const browserFacts: readonly ToolFacts[] = [...listedTools.map(factsOf), saveDownloadFacts];
