import type { Tool } from '@drawbridge/contracts/tool';
import { z } from 'zod';
import type { ToolFacts } from './tool.ts';

const schemaOf = (tool: ToolFacts): Pick<Tool, 'inputSchema' | 'outputSchema'> => {
  if (tool.described) {
    const { inputSchema, outputSchema } = tool.described;
    return { inputSchema, ...(outputSchema && { outputSchema }) };
  }
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' });
  return { inputSchema };
};

export const describeTool = (tool: ToolFacts): Tool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  ...schemaOf(tool),
  annotations: {
    readOnlyHint: tool.effect === 'reads',
    destructiveHint: tool.effect === 'destroys',
    ...tool.described?.annotations,
    title: tool.title,
    category: tool.category,
  },
});
