export type { Bus, BusMessage, Topic } from './bus.ts';
export type { CallOptions } from './calls/calls.ts';
export type { CallHandle, WaitOptions } from './calls/handle.ts';
export type { ThreadDriver } from './calls/store/call-write.ts';
export { createServersStore, type ServerRow } from './cluster/servers.store.ts';
export { createLoneServer, joinServers, serverDeadMs, type ThisServer } from './cluster/this-server.ts';
export type { DaemonSession, DaemonCredentials } from './daemon/daemon-session.ts';
export type { DaemonStream } from './connection/streams.ts';
export { both, createLocalBus } from './bus.ts';
export { createGateway, type Gateway } from './create-gateway.ts';
export type { CallClaim } from './idempotency/idempotency.ts';
export { defaultLimits, type GatewayLimits } from './limits.ts';
export { isReading, readingTools } from './calls/call.ts';
export type { MachineView } from './manage/machines.ts';
export { offlineStatus, type MachineRef } from './machines/registry.ts';
export {
  createManageMachines,
  type ListedMachine,
  type ManageMachines,
} from './manage/manage-machines.store.ts';
export { createKeysStore } from './pairing/keys.store.ts';
