import type { Tool, ToolCategory } from '@drawbridge/contracts';
import { z } from 'zod';
import { effectiveModes, type Modes } from '../permission/index.ts';
import type { DaemonTool } from './tool.ts';

const isOffered = (tool: DaemonTool, modes: Modes): boolean => effectiveModes(modes)[tool.group] !== 'deny';

const describe = (tool: DaemonTool): Tool => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' });
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema,
    annotations: {
      title: tool.title,
      readOnlyHint: tool.effect === 'reads',
      destructiveHint: tool.effect === 'destroys',
      category: tool.category,
    },
  };
};

/** The tools that the server is told of: those whose group is not on deny. MCP's shape. */
export const offeredTools = (tools: readonly DaemonTool[], modes: Modes): Tool[] =>
  tools.filter((tool) => isOffered(tool, modes)).map(describe);

/** Each family of tools, whether any of it is offered and whether it can change anything. */
export const toolCategories = (tools: readonly DaemonTool[], modes: Modes): ToolCategory[] =>
  [...new Set(tools.map((tool) => tool.category))].map((name) => {
    const offered = tools.filter((tool) => tool.category === name && isOffered(tool, modes));
    if (offered.length === 0) return { name, enabled: false, reason: 'switched off on this machine' };
    return { name, enabled: true, writeAccess: offered.some((tool) => tool.effect !== 'reads') };
  });
