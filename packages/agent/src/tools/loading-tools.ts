import { z } from 'zod';
import type { AgentRow } from '../rows.ts';
import { update } from '../store-port.ts';
import { coreTool, textResult, type AgentTool } from './tool.ts';

/** With fewer deferred tools all are in the prompt. */
export const shownWithoutSearch = 24;
const maxLoaded = 32;
const maxHits = 8;
const maxAtOnce = 8;

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);

/** A word in the name counts more than one in the description. */
const scoreOf = ({ name, description }: AgentTool, words: readonly string[]): number => {
  const [nameText, aboutText] = [name.toLowerCase(), description.toLowerCase()];
  return words.reduce(
    (sum, word) => sum + (nameText.includes(word) ? 3 : 0) + (aboutText.includes(word) ? 1 : 0),
    0,
  );
};

/** The best hits of a search, best first. */
export const searchTools = (tools: readonly AgentTool[], query: string): AgentTool[] => {
  const words = wordsOf(query);
  return tools
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, maxHits)
    .map(({ tool }) => tool);
};

const searchTool = (deferred: readonly AgentTool[]) =>
  coreTool({
    name: 'search_tools',
    description: 'Find tools by what they do. Load the ones that you need with load_tool.',
    input: z.strictObject({ query: z.string().min(1).max(200) }),
    effect: 'read',
    run: async ({ args }) => {
      const hits = searchTools(deferred, args.query);
      if (hits.length === 0) return textResult('No tool matches. Try other words.');
      return textResult(hits.map(({ name, description }) => `${name}: ${description}`).join('\n'));
    },
  });

const loadTool = (deferred: readonly AgentTool[]) =>
  coreTool({
    name: 'load_tool',
    description: 'Make tools available from the next step on, by their names.',
    input: z.strictObject({ names: z.array(z.string().max(128)).min(1).max(maxAtOnce) }),
    effect: 'own',
    run: async ({ args, agent }) => {
      const known = new Set(deferred.map(({ name }) => name));
      const found = args.names.filter((name) => known.has(name));
      const missing = args.names.filter((name) => !known.has(name));
      const loaded = [...new Set([...found, ...agent.loaded])].slice(0, maxLoaded);
      const text = [
        ...(found.length > 0 ? [`Loaded: ${found.join(', ')}.`] : []),
        ...(missing.length > 0 ? [`Unknown: ${missing.join(', ')}.`] : []),
      ].join(' ');
      return {
        type: 'result',
        outcome: found.length > 0 ? 'ok' : 'failed',
        parts: [{ type: 'text', text }],
        writes: [update('agentAgents', { userId: agent.userId, id: agent.id }, { loaded })],
      };
    },
  });

/** Where there are many tools: the two that find and load them, and the ones that are loaded. */
export const loadingTools = (
  agent: Pick<AgentRow, 'loaded'>,
  deferred: readonly AgentTool[],
): { loading: AgentTool[]; loaded: AgentTool[] } => {
  if (deferred.length <= shownWithoutSearch) return { loading: [], loaded: [...deferred] };
  const isLoaded = new Set(agent.loaded);
  return {
    loading: [searchTool(deferred), loadTool(deferred)],
    loaded: deferred.filter(({ name }) => isLoaded.has(name)),
  };
};
