export { mcpToolset, type McpToolsetNeeds } from './toolset.ts';
export { mcpServer, mcpServerName, openMcpServers, type McpServer, type McpServers } from './servers-file.ts';
