export { createAgentServers, type DrivingServers } from './agent-servers.ts';
