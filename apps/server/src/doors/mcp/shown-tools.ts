import type { Tool } from '@drawbridge/contracts';
import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { isWithinScopes, type MachineView } from '../../gateway/index.ts';
import type { Caller } from './caller.ts';

type Schema = Record<string, unknown>;

const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a schema refers to anything outside itself, which a client might fetch. */
const refersOutside = (schema: unknown): boolean => {
  if (Array.isArray(schema)) return schema.some(refersOutside);
  if (!isRecord(schema)) return false;
  return Object.entries(schema).some(
    ([name, value]) =>
      ((name === '$ref' || name === '$dynamicRef') && typeof value === 'string' && !value.startsWith('#')) ||
      refersOutside(value),
  );
};

const objectSchema = (schema: Schema) =>
  refersOutside(schema) ? { type: 'object' as const } : { ...schema, type: 'object' as const };

/** Whether a tool is shown with a schema that its results keep to. */
export const promisesStructure = ({ outputSchema }: Pick<Tool, 'outputSchema'>): boolean =>
  outputSchema?.type === 'object' && !refersOutside(outputSchema);

const describe = ({ name, title, description, inputSchema, outputSchema, annotations }: Tool): McpTool => ({
  name,
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  inputSchema: objectSchema(inputSchema),
  ...(outputSchema && promisesStructure({ outputSchema }) && { outputSchema: objectSchema(outputSchema) }),
  ...(annotations && { annotations }),
});

const described = new WeakMap<Tool, McpTool>();

/** A machine's tools stay the same objects from one list to the next. */
const shown = (tool: Tool): McpTool => {
  const known = described.get(tool) ?? describe(tool);
  described.set(tool, known);
  return known;
};

const byName = ({ name: a }: Tool, { name: b }: Tool) => (a < b ? -1 : 1);

/** What a machine offers to a caller: the tools within the token's scopes, by name. */
export const machineTools = (machine: MachineView | null, { scopes }: Pick<Caller, 'scopes'>): McpTool[] =>
  [...(machine?.tools.values() ?? [])]
    .filter((tool) => isWithinScopes(tool, scopes))
    .toSorted(byName)
    .map(shown);
