export { createAnalyticsStore } from './analytics.store.ts';
export { createContextStore } from './context.store.ts';
export { createOps, type Ops } from './create-ops.ts';
export { createModelCalls, type ModelCalls } from './model-calls.ts';
export { createRunsStore } from './runs.store.ts';
export { createRunProgram } from './services/run-program.ts';
