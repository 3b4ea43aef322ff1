export { mcpToolset, type McpToolsetNeeds } from './toolset.ts';
export { mcpServer, mcpServerName, openMcpServers, type McpServer } from './servers-file.ts';
export { withPrograms } from './programs.ts';
