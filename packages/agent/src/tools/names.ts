/** The names of the agent's own tools: no other tool may look like one of them. */
export const coreToolNames = [
  'plan',
  'update-tasks',
  'delegate',
  'correct-background-task',
  'cancel-background-task',
  'ask-user',
  'fetch-url',
  'web-search',
  'remember',
  'read-result',
  'search_tools',
  'load_tool',
  'report-verification-verdict',
] as const;

/** The longest name that every provider accepts. */
export const maxToolNameLength = 64;

const plainName = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
/** A name as a careless reader sees it. */
const looseForm = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const reserved = new Set(coreToolNames.map(looseForm));

export const mcpPrefix = 'mcp__';

/** The name of an MCP tool for the model, or the reason why the tool is left out. */
export const mcpToolName = (server: string, tool: string): { name: string } | { why: string } => {
  if (!plainName.test(tool))
    return { why: 'its name has other characters than letters, digits, ".", "_" and "-"' };
  if (reserved.has(looseForm(tool))) return { why: "its name is that of one of the agent's own tools" };
  const name = `${mcpPrefix}${server}__${tool.replaceAll('.', '_')}`;
  if (name.length > maxToolNameLength)
    return { why: `with the name of its server it is longer than ${maxToolNameLength} characters` };
  return { name };
};
