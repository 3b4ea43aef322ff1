import type { Tool } from '@drawbridge/contracts';
import { isWithinScopes, type Gateway } from '../../gateway/index.ts';
import { errors } from '../../errors.ts';
import type { Caller } from './caller.ts';

/** The tools of the connected machine that the caller may see and call; none while no machine is connected. */
export const ownTools = async (gateway: Gateway, { userId, scopes }: Caller): Promise<Tool[]> =>
  (await gateway.tools(userId)).filter((tool) => isWithinScopes(tool, scopes));

/** Throws `unknownTool` for a tool outside the caller's scopes as for one that is not there, `notConnected` without a machine. */
export const requireTool = async (gateway: Gateway, caller: Caller, name: string): Promise<void> => {
  const { connected } = await gateway.status(caller.userId);
  if (!connected) throw errors.notConnected();
  const tools = await ownTools(gateway, caller);
  if (!tools.some((tool) => tool.name === name)) throw errors.unknownTool();
};
