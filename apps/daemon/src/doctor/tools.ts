import type { ToolCategory } from '@drawbridge/contracts';
import type { Modes } from '../permission/index.ts';
import type { Check } from './check.ts';

/** What a family of tools needs on the machine, by the word that a person looks for. */
const needs = {
  shell: { name: 'sandbox', group: 'shell' },
  computer: { name: 'display', group: 'computer' },
  browser: { name: 'browser', group: 'browser' },
  mcp: { name: 'mcp', group: 'mcp' },
} as const;

/** A family that lacks something: a warning where its group is on, a note where it is not. */
export const judgeTools = (categories: readonly ToolCategory[], modes: Modes): Check[] =>
  Object.entries(needs).flatMap(([family, { name, group }]): Check[] => {
    const found = categories.find((category) => category.name === family);
    if (found === undefined) return [];
    const isOff = modes[group] === 'deny';
    if (found.enabled) {
      return [{ name, state: 'ok', says: isOff ? `ready; ${group} is on deny` : 'ready' }];
    }
    const says = found.reason ?? 'missing, no reason is known';
    const isUnset = family === 'mcp' && says.startsWith('no MCP server');
    return [{ name, state: isOff || isUnset ? 'note' : 'warning', says }];
  });
