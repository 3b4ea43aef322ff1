export type { CallOptions } from './calls/calls.ts';
export type { DaemonSession, DaemonCredentials } from './connection/daemon-session.ts';
export type { DaemonStream } from './connection/daemon-stream.ts';
export { createGateway, type Gateway } from './create-gateway.ts';
export type { CallClaim } from './idempotency/idempotency.ts';
export { defaultLimits, type GatewayLimits } from './limits.ts';
export { isReading, readingTools } from './idempotency/reading-tools.ts';
export type { MachineView } from './machines/machines.ts';
export { offlineStatus, type MachineRef } from './machines/registry.ts';
export {
  createManageMachines,
  type ListedMachine,
  type ManageMachines,
} from './machines/manage-machines.store.ts';
export { createKeysStore } from './pairing/keys.store.ts';
