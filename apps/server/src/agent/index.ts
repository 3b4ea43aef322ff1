export { createServerAgent, type ServerAgent } from './create-agent.ts';
