import { toLateEntries, type ToolEntry } from '../entry.ts';
import type { ToolFamily } from '../family.ts';
import { listed } from '../listed.ts';
import type { ActivationNeeds } from './activate-tools.ts';

/** What the daemon itself can do for a model: no more than to ask the person. */
export const systemFamily = (needs: Omit<ActivationNeeds, 'changed'>): ToolFamily => {
  let tools: ToolEntry[] = [];
  return {
    category: 'system',
    groups: ['system'],
    open: async ({ changed }) => {
      tools = toLateEntries(listed.system, async () => {
        const { activateTools } = await import('./activate-tools.ts');
        return [activateTools({ ...needs, changed })];
      });
    },
    tools: () => tools,
    missing: () => null,
    close: async () => {},
  };
};
