import type { ToolSpec } from '../ports/model.ts';

/** Up to this number of deferred tools, all of them are in the prompt. */
const maxWithoutSearch = 24;
const maxLoadedTools = 32;
/** Tools that find and load deferred ones; absent where all tools are in the prompt. */
const searchToolNames: ReadonlySet<string> = new Set(['search_tools', 'load_tool']);

export interface ToolTiers<Tool> {
  /** In the prompt, the core tools first. */
  inPrompt: Tool[];
  /** Found with search_tools; empty where all tools are in the prompt. */
  deferred: Tool[];
}

/** Which tools the model is offered. `loaded`: names of deferred tools, the last used first. */
export const toolTiers = <Tool extends ToolSpec>(
  tools: { core: readonly Tool[]; deferred: readonly Tool[] },
  { loaded, areToolsDeferred }: { loaded: readonly string[]; areToolsDeferred: boolean },
): ToolTiers<Tool> => {
  if (!areToolsDeferred || tools.deferred.length <= maxWithoutSearch) {
    const core = tools.core.filter(({ name }) => !searchToolNames.has(name));
    return { inPrompt: [...core, ...tools.deferred], deferred: [] };
  }
  const kept = new Set(loaded.slice(0, maxLoadedTools));
  return {
    inPrompt: [...tools.core, ...tools.deferred.filter(({ name }) => kept.has(name))],
    deferred: [...tools.deferred],
  };
};

/** Puts names in front of `loaded`: after a load, or a use. Beyond 32 the longest unused are dropped. */
export const withUsed = (loaded: readonly string[], names: readonly string[]): string[] =>
  [...new Set([...names, ...loaded])].slice(0, maxLoadedTools);
