import { z } from 'zod';
import { update } from '../rows/store.ts';
import { type AgentTool, coreTool, textResult } from './common/tool.ts';
import { searchTools } from './search.ts';
import { withUsed } from './tool-tiers.ts';

const maxAtOnce = 8;
const searchInput = z.strictObject({ query: z.string().min(1).max(200) });
const loadInput = z.strictObject({ names: z.array(z.string().max(128)).min(1).max(maxAtOnce) });

const searchTool = (deferred: readonly AgentTool[]) =>
  coreTool({
    name: 'search_tools',
    description: 'Find tools by what they do. Load the ones that you need with load_tool.',
    input: searchInput,
    effect: 'read',
    run: async ({ args }) => {
      const hits = searchTools(deferred, args.query);
      if (hits.length === 0) return textResult('No tool matches. Try other words.');
      const found = textResult(hits.map(({ name, description }) => `${name}: ${description}`).join('\n'));
      const names = new Set(hits.map(({ name }) => name));
      const isOutside = deferred.some((tool) => tool.isOutside === true && names.has(tool.name));
      return isOutside ? { ...found, source: 'descriptions of tools' } : found;
    },
  });

const loadTool = (deferred: readonly AgentTool[]) =>
  coreTool({
    name: 'load_tool',
    description: 'Make tools available from the next step on, by their names.',
    input: loadInput,
    effect: 'own',
    run: async ({ args, agent }) => {
      const known = new Set(deferred.map(({ name }) => name));
      const found = args.names.filter((name) => known.has(name));
      const missing = args.names.filter((name) => !known.has(name));
      const loaded = withUsed(agent.loaded, found);
      const text = [
        ...(found.length > 0 ? [`Loaded: ${found.join(', ')}.`] : []),
        ...(missing.length > 0 ? [`Unknown: ${missing.join(', ')}.`] : []),
      ].join(' ');
      return {
        ...textResult(text, found.length > 0 ? 'ok' : 'failed'),
        writes: [update('agentAgents', { userId: agent.userId, id: agent.id }, { loaded })],
      };
    },
  });

/** The tools that find and load others. */
export const loadingTools = (deferred: readonly AgentTool[]): AgentTool[] => [
  searchTool(deferred),
  loadTool(deferred),
];
