import { fitSchema, type McpTool, type NameMcpTool } from '@drawbridge/agent';
import { cutText } from '@drawbridge/kit';
import { z } from 'zod';

const maxDescriptionLength = 1_000;

const listed = z.looseObject({
  name: z.string(),
  description: z.string().catch(''),
  inputSchema: z.unknown(),
});

/** What a server lists -> the tools that are offered, and one sentence for each that is left out. */
export const readOffered = (
  { server, nameTool }: { server: string; nameTool: NameMcpTool },
  tools: readonly unknown[],
): { offered: McpTool[]; left: string[] } => {
  const offered = new Map<string, McpTool>();
  const left: string[] = [];
  for (const value of tools) {
    const read = listed.safeParse(value);
    if (!read.success) {
      left.push(`A tool of the MCP server "${server}" is left out: it has no name.`);
      continue;
    }
    const { name: tool, description, inputSchema } = read.data;
    const leave = (why: string) =>
      left.push(
        `The tool ${JSON.stringify(cutText(tool, 80))} of the MCP server "${server}" is left out: ${why}.`,
      );
    const named = nameTool(server, tool);
    const fitted = fitSchema(inputSchema);
    if ('why' in named) leave(named.why);
    else if ('why' in fitted) leave(fitted.why);
    else if (offered.has(named.name)) leave('another tool has its name');
    else {
      const plain = cutText(description.trim(), maxDescriptionLength);
      offered.set(named.name, {
        name: named.name,
        server,
        tool,
        description: plain,
        inputSchema: fitted.schema,
      });
    }
  }
  return { offered: [...offered.values()], left };
};
