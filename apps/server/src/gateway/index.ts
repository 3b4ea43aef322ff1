export type { CallOptions } from './calls/run-call.ts';
export type { DaemonSession, DaemonCredentials } from './daemon/daemon-session.ts';
export type { DaemonStream } from './connection/daemon-stream.ts';
export { createGateway, type Gateway } from './create-gateway.ts';
export type { CallClaim } from './idempotency/idempotency.ts';
export { defaultLimits, type GatewayLimits } from './limits.ts';
export { isReading, readingTools } from './calls/reading-tools.ts';
export type { MachineView } from './manage/machines.ts';
export { offlineStatus, type MachineRef } from './machines/registry.ts';
export {
  createManageMachines,
  type ListedMachine,
  type ManageMachines,
} from './manage/manage-machines.store.ts';
export { createKeysStore } from './pairing/keys.store.ts';
