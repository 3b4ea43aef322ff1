import type { ToolFamily } from '../family.ts';
import type { DaemonTool } from '../tool.ts';
import { activateTools, type ActivationNeeds } from './activate-tools.ts';

/** What the daemon itself can do for a model: no more than to ask the person. */
export const systemFamily = (needs: Omit<ActivationNeeds, 'changed'>): ToolFamily => {
  let tools: DaemonTool[] = [];
  return {
    category: 'system',
    groups: ['system'],
    open: async ({ changed }) => {
      tools = [activateTools({ ...needs, changed })];
    },
    tools: () => tools,
    missing: () => null,
    close: async () => {},
  };
};
