export { createOpsStore } from './ops.store.ts';
export { createOps, type Ops } from './create-ops.ts';
export { createModelCalls, type ModelCalls } from './model-calls.ts';
export { controlService } from './services/adapter.ts';
export { createRunProgram } from './services/run-program.ts';
export { createHeldStore } from './metrics/held.store.ts';
export { byLabel, metricsText, type Metric } from './metrics/metrics-text.ts';
export { createProcessMetrics } from './metrics/process-metrics.ts';
