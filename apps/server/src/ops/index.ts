export { createAnalyticsStore } from './analytics.store.ts';
export { createOps, type Ops } from './create-ops.ts';
export { createLogRing } from './observe/log-ring.ts';
export { createModelCalls, type ModelCalls } from './model-calls.ts';
export { createRunProgram, type RunProgram } from './services/run-program.ts';
