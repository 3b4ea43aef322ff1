import { createHash } from 'node:crypto';
import { tool as toolSchema, type Tool } from '@drawbridge/contracts/tool';
import { toolLimits } from '@drawbridge/contracts/tool-call';

/** The tools of a machine by name, in its order. Equal lists have the same `digest`. */
export interface ToolList {
  digest: string;
  json: string;
  tools: ReadonlyMap<string, Tool>;
}

export interface AnnouncedTools {
  list: ToolList;
  /** One sentence for each omitted tool. */
  warnings: string[];
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Walks without recursion, so that no depth overflows the stack. */
const withinLimits = (schema: object): boolean => {
  let nodes = 0;
  let level: object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > toolLimits.maxSchemaDepth || nodes > toolLimits.maxSchemaNodes) return false;
    level = level.flatMap((node) => Object.values(node).filter(isBranch));
  }
  return true;
};

const shown = (value: unknown, index: number): string => {
  const name = isBranch(value) && 'name' in value ? value.name : undefined;
  return typeof name === 'string'
    ? JSON.stringify(name.slice(0, toolLimits.maxNameLength))
    : `number ${index + 1}`;
};

/** A list from tools whose names differ. */
export const createToolList = (tools: readonly Tool[]): ToolList => {
  const json = JSON.stringify(tools);
  const digest = createHash('sha256').update(json).digest('hex');
  return { digest, json, tools: new Map(tools.map((tool) => [tool.name, tool])) };
};

/**
 * Reads what a daemon announced, leaving out and naming each tool that is not valid, too big, or there
 * already.
 */
export const readTools = (announced: readonly unknown[]): AnnouncedTools => {
  const tools = new Map<string, Tool>();
  const warnings: string[] = [];
  for (const [index, value] of announced.entries()) {
    const parsed = toolSchema.safeParse(value);
    if (!parsed.success) warnings.push(`Tool ${shown(value, index)} was skipped: it is not a valid tool`);
    else if (tools.has(parsed.data.name))
      warnings.push(`Tool ${shown(value, index)} was skipped: the name is taken`);
    else if (![parsed.data.inputSchema, parsed.data.outputSchema ?? {}].every(withinLimits))
      warnings.push(`Tool ${shown(value, index)} was skipped: its schema is too big`);
    else tools.set(parsed.data.name, parsed.data);
  }
  return { list: createToolList([...tools.values()]), warnings };
};
