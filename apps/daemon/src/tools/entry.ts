import type { Tool } from '@drawbridge/contracts';
import { describeTool } from './describe-tool.ts';
import { errors } from './errors.ts';
import type { DaemonTool, ToolFacts } from './tool.ts';

/** What is known of a tool before it is loaded: enough to offer it, and to refuse it. */
export interface Listed extends Pick<DaemonTool, 'group' | 'effect'> {
  /** As the server is told of it. */
  told: Tool;
}

/** A tool in the list of what is offered. */
export interface ToolEntry extends Listed {
  /** All of it, once: to be run. */
  load(): Promise<DaemonTool>;
}

export const toListed = (tool: ToolFacts): Listed => ({
  told: describeTool(tool),
  group: tool.group,
  effect: tool.effect,
});

/** A tool that is there. */
export const toEntry = (tool: DaemonTool): ToolEntry => ({ ...toListed(tool), load: async () => tool });

/** Tools that are loaded together, when the first of them is needed. */
export const toLateEntries = (
  listed: readonly Listed[],
  load: () => Promise<readonly DaemonTool[]>,
): ToolEntry[] => {
  let loading: Promise<readonly DaemonTool[]> | undefined;
  const all = () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  return listed.map((one) => ({
    ...one,
    load: async () => {
      const tool = (await all()).find(({ name }) => name === one.told.name);
      if (!tool) throw errors.unknownTool();
      return tool;
    },
  }));
};
