export { createMcpClients, type McpClients, type McpServerConfig } from './clients.ts';
