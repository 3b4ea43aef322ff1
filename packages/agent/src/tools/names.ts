import { type IsTaken, takenNames } from './common/loose-names.ts';
import { coreToolNames } from './core-tools.ts';

/** The longest name that every provider accepts. */
const maxToolNameLength = 64;

const plainName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
/** No tool of a machine looks like one of ours, or begins as those of MCP servers and of workspaces do. */
export const ownNames = (others: readonly string[]): IsTaken =>
  takenNames([...coreToolNames, ...others], ['mcp', 'workspace']);

/** The name of an MCP tool for the model, or the reason why the tool is left out. */
export type NameMcpTool = (server: string, tool: string) => { name: string } | { why: string };

/**
 * Names the tools of MCP servers. None may look like a tool of the agent, or like one of `others`: the tools
 * of machines and of the products that the agent works on.
 */
export const createMcpNames = (others: readonly string[]): NameMcpTool => {
  const isTaken = takenNames([...coreToolNames, ...others]);
  return (server, tool) => {
    if (!plainName.test(tool))
      return { why: 'its name has other characters than letters, digits, ".", "_" and "-"' };
    if (isTaken(tool))
      return { why: 'its name is that of a tool of the agent, of a machine or of a product' };
    const name = `mcp__${server}__${tool.replaceAll('.', '_')}`;
    if (name.length > maxToolNameLength)
      return { why: `with the name of its server it is longer than ${maxToolNameLength} characters` };
    return { name };
  };
};
