import type { Method } from './method.ts';
import { configGet, configPatch, configReload } from './methods/config/config.ts';
import { systemLocation, systemNodesMethod } from './methods/node/nodes.ts';
import { systemPresence } from './methods/node/presence.ts';
import { nodeRegister } from './methods/node/register.ts';
import {
  nodeCapabilitiesGet,
  nodeLocationGet,
  nodeLocationSetMethod,
  nodePushTokenSet,
  nodeStatusSetMethod,
} from './methods/node/reports.ts';
import { systemHealthMethod } from './methods/ops/health.ts';
import { systemContextUsage, systemMetricsMethod, systemSessionAnalytics } from './methods/ops/numbers.ts';
import {
  systemObservabilitySeries,
  systemObservabilitySources,
  systemServiceLogs,
} from './methods/ops/observability.ts';
import {
  systemDockerDependencies,
  systemDockerDependencyControl,
  systemLocalBackendControl,
  systemLocalBackends,
} from './methods/ops/services.ts';
import { pairingGenerate, pairingList } from './methods/pairing/pairing.ts';
import { systemCapabilities } from './methods/system/capabilities.ts';
import { systemDisconnect } from './methods/system/disconnect.ts';
import { systemInfo } from './methods/system/info.ts';
import { toolsExecute, toolsInvoke } from './methods/tools/execute.ts';
import { toolsList } from './methods/tools/list.ts';

const all: readonly Method[] = [
  systemInfo,
  systemDisconnect,
  systemCapabilities,
  toolsList,
  toolsExecute,
  toolsInvoke,
  systemHealthMethod,
  systemPresence,
  systemSessionAnalytics,
  systemContextUsage,
  systemMetricsMethod,
  systemNodesMethod,
  systemLocation,
  systemLocalBackends,
  systemLocalBackendControl,
  systemDockerDependencies,
  systemDockerDependencyControl,
  systemObservabilitySources,
  systemObservabilitySeries,
  systemServiceLogs,
  nodeRegister,
  nodeCapabilitiesGet,
  nodeStatusSetMethod,
  nodeLocationSetMethod,
  nodeLocationGet,
  nodePushTokenSet,
  configGet,
  configPatch,
  configReload,
  pairingGenerate,
  pairingList,
];

/** Every method by its name. A `Map`, so that no name reaches a prototype. */
export const methods: ReadonlyMap<string, Method> = new Map(all.map((one) => [one.name, one]));
