export { mcpFamily, type McpFamilyNeeds } from './family.ts';
export { mcpServer, mcpServerName, openMcpServers, type McpServer, type McpServers } from './servers-file.ts';
