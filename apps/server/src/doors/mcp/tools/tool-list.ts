import type { Tool } from '@drawbridge/contracts/tool';
import type { Tool as McpTool } from '@modelcontextprotocol/server';
import { findTool, machineOf, toolsInScope, type BearerCaller } from '../../../callers/index.ts';
import type { MachineView } from '../../../gateway/index.ts';
import { toProtocolError } from './call-answer.ts';
import { callResult } from './call-result.ts';
import type { OwnTool, ToolsContext } from './call.ts';
import { machineStatus } from './machine-status.ts';
import { objectSchema, promisesStructure } from './tool-schema.ts';

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

/** What a machine offers to a caller: the tools within its scopes, by name. */
export const machineTools = (machine: MachineView | null, caller: Pick<BearerCaller, 'scopes'>): McpTool[] =>
  toolsInScope(machine, caller).toSorted(byName).map(shown);

const own: readonly OwnTool[] = [machineStatus, callResult];

/** The server's own tools, by name. */
export const ownTools: ReadonlyMap<string, OwnTool> = new Map(
  own.map((ownTool) => [ownTool.tool.name, ownTool]),
);

/** All tools of a caller in a stable order, also while the machine is offline. Throws a `ProtocolError`. */
export const listTools = async (ctx: ToolsContext, caller: BearerCaller): Promise<McpTool[]> => {
  try {
    const machine = await machineOf(ctx.gateway, caller);
    const ofMachine = machineTools(machine, caller).filter(({ name }) => !ownTools.has(name));
    return [...own.map(({ tool }) => tool), ...ofMachine];
  } catch (error) {
    throw toProtocolError(ctx, error);
  }
};

/** A tool of the machine as it announced it; undefined for one that the caller does not have. */
export const findMachineTool = async (
  { gateway }: ToolsContext,
  caller: BearerCaller,
  name: string,
): Promise<Tool | undefined> => (ownTools.has(name) ? undefined : findTool(gateway, caller, name));
