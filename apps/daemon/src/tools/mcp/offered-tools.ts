import { createHash } from 'node:crypto';
import { tool as toolSchema, type Tool } from '@drawbridge/contracts/tool';
import { toolLimits } from '@drawbridge/contracts/tool-call';
import { canonical } from '@drawbridge/kit';
import type { McpServer } from './servers-file.ts';

export interface OfferedTool {
  own: string;
  /** `<server>__<tool>`. */
  name: string;
  described: Pick<Tool, 'inputSchema' | 'outputSchema' | 'annotations'>;
  title: string;
  description: string;
  /** A digest of the server's command and the tool's description: a change voids the permission. */
  fingerprint: string;
  /** A digest of the command and the whole list: what a rule for all tools of the server holds for. */
  serverFingerprint: string;
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Walks without recursion, so that no depth can end the stack. */
export const isWithinDepth = (value: object, limits: { depth: number; nodes: number }): boolean => {
  let nodes = 0;
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth += 1) {
    nodes += level.length;
    if (depth > limits.depth || nodes > limits.nodes) return false;
    level = level.flatMap((node) => Object.values(node).filter(isBranch));
  }
  return true;
};

const schemaLimits = { depth: toolLimits.maxSchemaDepth, nodes: toolLimits.maxSchemaNodes };

const nameIn = (value: unknown): string => {
  const name = isBranch(value) && 'name' in value ? value.name : undefined;
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : 'without a name';
};

export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex');

const fingerprintOf = (server: McpServer, tool: Tool): string => {
  const { command, args, env } = server;
  const { description, inputSchema } = tool;
  const whole = { command, args, env: Object.keys(env).toSorted(), description, inputSchema };
  return digestOf(whole);
};

type Read = { tool: Tool } | { why: string };

const readTool = (value: unknown): Read => {
  if (
    isBranch(value) &&
    !isWithinDepth(value, { depth: schemaLimits.depth + 1, nodes: 2 * schemaLimits.nodes })
  )
    return { why: 'its schema is too big' };
  const parsed = toolSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { why: `${issue?.path.join('.') ?? 'it'}: ${issue?.message ?? 'is not valid'}` };
  }
  const { inputSchema, outputSchema = {} } = parsed.data;
  const fits = [inputSchema, outputSchema].every((schema) => isWithinDepth(schema, schemaLimits));
  return fits ? { tool: parsed.data } : { why: 'its schema is too big' };
};

/** What a server listed -> what of it can be offered, and one sentence for each tool that cannot. */
export const readListed = (
  descriptors: readonly unknown[],
  { name, server }: { name: string; server: McpServer },
): { tools: OfferedTool[]; skipped: string[] } => {
  const tools = new Map<string, Omit<OfferedTool, 'serverFingerprint'>>();
  const skipped: string[] = [];
  for (const value of descriptors) {
    const read = readTool(value);
    const full = 'tool' in read ? `${name}__${read.tool.name}` : '';
    if ('why' in read) skipped.push(`tool ${nameIn(value)} was skipped: ${read.why}`);
    else if (full.length > toolLimits.maxNameLength)
      skipped.push(`tool ${nameIn(value)} was skipped: with the server's name it is too long`);
    else if (tools.has(full)) skipped.push(`tool ${nameIn(value)} was skipped: the name is taken`);
    else {
      const { tool } = read;
      const { inputSchema, outputSchema, annotations } = tool;
      tools.set(full, {
        own: tool.name,
        name: full,
        title: tool.title ?? annotations?.title ?? tool.name,
        description: tool.description ?? '',
        described: {
          inputSchema,
          ...(outputSchema && { outputSchema }),
          ...(annotations && { annotations }),
        },
        fingerprint: fingerprintOf(server, tool),
      });
    }
  }
  const serverFingerprint = digestOf([...tools.values()].map(({ fingerprint }) => fingerprint).toSorted());
  return { tools: [...tools.values()].map((tool) => ({ ...tool, serverFingerprint })), skipped };
};
