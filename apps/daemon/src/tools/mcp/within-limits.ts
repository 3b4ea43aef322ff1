import type { OfferedTool } from './offered-tools.ts';

/** Limits for all MCP servers together: an init has room for 200 tools and 1 MiB. */
export const mcpLimits = { maxTools: 128, maxBytes: 512 * 1024 } as const;

/** The first of all that fit the limits together; the rest by name. */
export const withinLimits = <T extends Pick<OfferedTool, 'name' | 'described' | 'title' | 'description'>>(
  tools: readonly T[],
): { kept: T[]; left: string[] } => {
  let bytes = 0;
  const kept: T[] = [];
  const left: string[] = [];
  for (const tool of tools) {
    const { name, title, description, described } = tool;
    const size = Buffer.byteLength(JSON.stringify({ name, title, description, ...described }));
    if (kept.length < mcpLimits.maxTools && bytes + size <= mcpLimits.maxBytes) {
      bytes += size;
      kept.push(tool);
    } else left.push(name);
  }
  return { kept, left };
};
