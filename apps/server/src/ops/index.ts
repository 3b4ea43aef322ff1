export { createOpsStore } from './ops.store.ts';
export { createOps, type Ops } from './create-ops.ts';
export { createModelCalls, type ModelCalls } from './model-calls.ts';
export { controlService } from './services/adapter.ts';
export { createRunProgram } from './services/run-program.ts';
