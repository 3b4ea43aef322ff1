import type { Tool } from '@drawbridge/contracts';
import { z } from 'zod';
import type { DaemonTool } from './tool.ts';

/** A tool as the server is told of it. MCP's shape. */
export const describeTool = (tool: DaemonTool): Tool => {
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
