export { createOwnInput, type OwnInput } from './computer/own-input.ts';
export { createDispatch } from './dispatch.ts';
export { allFamilies, type FamilyNeeds } from './families.ts';
export { mcpServer, mcpServerName, openMcpServers, type McpServer, type McpServers } from './mcp/index.ts';
export { systemFamily } from './system/family.ts';
export { createToolbox, stillStarting, switchedOff } from './toolbox.ts';
