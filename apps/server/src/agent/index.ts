export { createServerAgent, type ServerAgent } from './create-agent.ts';
export { openTracer } from './otel/index.ts';
export { createSealer } from './settings/index.ts';
export { openWorkspaces } from './workspace/index.ts';
