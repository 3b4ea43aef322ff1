import { toolsListParams, toolsListResult as result } from '@drawbridge/contracts/rpc/tools';
import { groupsOfTool, machineOf, toolsInScope } from '../../../../callers/index.ts';
import { method } from '../../method.ts';

/** The tools of a machine within the groups of the caller; while it is away, as last announced. */
export const toolsList = method({
  name: 'tools.list',
  who: 'tools',
  params: toolsListParams,
  result,
}).handle(async ({ gateway }, { connection: { identity }, params: { machineId } }) => {
  const caller = { ...identity.caller, ...(machineId !== undefined && { machineId }) };
  const machine = await machineOf(gateway, caller);
  const tools = toolsInScope(machine, caller).map((tool) => {
    const { name, title, description = '', inputSchema } = tool;
    const [group] = groupsOfTool(tool);
    return {
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema,
      ...(group && { group }),
    };
  });
  const state = machine === null ? 'none' : machine.status().connected ? 'connected' : 'away';
  return { tools, machine: { state } };
});
