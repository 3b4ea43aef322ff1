export { createOwnInput, type OwnInput } from './computer/own-input.ts';
export { createDispatch } from './dispatch.ts';
export { allToolsets, openSystemToolset, type ToolsetNeeds } from './toolsets.ts';
export { mcpServer, mcpServerName, openMcpServers, withPrograms, type McpServer } from './mcp/index.ts';
export { createToolbox, stillStarting, switchedOff, type Toolbox } from './toolbox.ts';
export {
  createRuntimesAnswer,
  knownRuntimes,
  openRuntimes,
  runtime,
  type Runtime,
} from './runtimes/index.ts';
