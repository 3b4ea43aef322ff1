export { createServerAgent, type ServerAgent } from './create-agent.ts';
export { createAgentServers } from './servers/index.ts';
export { createSessionsStore } from './sessions/sessions.store.ts';
export {
  createSessions,
  frontendOf,
  type NamedSession,
  type Sessions,
  type SessionUser,
} from './sessions/sessions.ts';
export { createRecorder } from './models/index.ts';
export { indexWords, wordsOfMessage } from './store/search.store.ts';
export { openTracer } from './otel/index.ts';
export { createSwitchedWorkspaces } from './workspace/index.ts';
