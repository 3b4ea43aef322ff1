import { toLazyTools, type DescribedTool, type LazyTool } from '../common/lazy-tool.ts';
import type { Toolset } from '../common/toolset.ts';
import type { ActivationNeeds } from './activate-tools.ts';

/** What the daemon itself can do for a model: no more than to ask the person. */
export const openSystemToolset = (needs: ActivationNeeds, descriptors: readonly DescribedTool[]): Toolset => {
  let tools: LazyTool[] = [];
  return {
    category: 'system',
    groups: ['system'],
    open: async () => {
      tools = toLazyTools(descriptors, async () => {
        const { activateTools } = await import('./activate-tools.ts');
        return [activateTools(needs)];
      });
    },
    tools: () => tools,
    missing: () => null,
    close: async () => {},
  };
};
