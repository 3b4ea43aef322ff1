import type { ToolCategory } from '@drawbridge/contracts/tool-category';
import type { Modes } from '../permission/index.ts';
import { sandboxTrials } from '../tools/shell/sandbox/sandbox-trials.ts';
import type { Check } from './check.ts';

/** What a toolset needs on the machine, by the word that a person looks for. */
const needs = {
  shell: { name: 'sandbox', group: 'shell' },
  computer: { name: 'display', group: 'computer' },
  browser: { name: 'browser', group: 'browser' },
  mcp: { name: 'mcp', group: 'mcp' },
} as const;

/** A toolset that lacks something: a warning where its group is on, a note where it is not. */
export const evaluateTools = (categories: readonly ToolCategory[], modes: Modes): Check[] =>
  Object.entries(needs).flatMap(([toolset, { name, group }]): Check[] => {
    const category = categories.find((category) => category.name === toolset);
    if (category === undefined) return [];
    const isOff = modes[group] === 'deny';
    if (category.enabled) {
      const tried = toolset === 'shell' ? `; tested and blocked: ${sandboxTrials.join(', ')}` : '';
      return [{ name, state: 'ok', says: `ready${isOff ? `; ${group} is on deny` : ''}${tried}` }];
    }
    const says = category.reason ?? 'missing, no reason is known';
    const isUnset = toolset === 'mcp' && says.startsWith('no MCP server');
    return [{ name, state: isOff || isUnset ? 'note' : 'warning', says }];
  });
