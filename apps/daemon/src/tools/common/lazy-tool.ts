import type { Tool } from '@drawbridge/contracts/tool';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { describeTool } from './describe-tool.ts';
import { errors } from './errors.ts';
import type { DaemonTool, ToolFacts } from './tool.ts';

/** What is known of a tool before it is loaded: enough to offer it, and to refuse it. */
export interface DescribedTool extends Pick<DaemonTool, 'group' | 'effect' | 'lane' | 'isInternal'> {
  descriptor: Tool;
}

export interface LazyTool extends DescribedTool {
  /** All of it, once: to be run. */
  load(): Promise<DaemonTool>;
  /** Called with each result of a call of it, a question among them, and why its person denied it. */
  answered?(requestId: string, result: ToolResult, denialReason?: string): void;
}

export const toDescribedTool = (tool: ToolFacts): DescribedTool => ({
  descriptor: describeTool(tool),
  group: tool.group,
  effect: tool.effect,
  ...(tool.lane && { lane: tool.lane }),
  ...(tool.isInternal && { isInternal: tool.isInternal }),
});

export const toLazyTool = (tool: DaemonTool): LazyTool => ({
  ...toDescribedTool(tool),
  load: async () => tool,
});

/** Tools that are loaded together, when the first of them is needed. */
export const toLazyTools = (
  descriptors: readonly DescribedTool[],
  load: () => Promise<readonly DaemonTool[]>,
): LazyTool[] => {
  let loading: Promise<readonly DaemonTool[]> | undefined;
  const all = () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  return descriptors.map((described) => ({
    ...described,
    load: async () => {
      const tool = (await all()).find(({ name }) => name === described.descriptor.name);
      if (!tool) throw errors.unknownTool();
      return tool;
    },
  }));
};
