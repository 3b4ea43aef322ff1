export { createMcpClients } from './clients.ts';
