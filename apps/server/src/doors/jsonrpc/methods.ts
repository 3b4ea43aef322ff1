import type { Method } from './method.ts';
import { agentCancel } from './methods/agent/cancel.ts';
import { agentConfirm } from './methods/agent/confirm.ts';
import { agentConfirmations } from './methods/agent/confirmations.ts';
import { agentSend } from './methods/agent/send.ts';
import { agentSetToolUseCallback } from './methods/agent/set-tool-use-callback.ts';
import { canvasClear } from './methods/canvas/clear.ts';
import { canvasDelete } from './methods/canvas/delete.ts';
import { canvasGet } from './methods/canvas/get.ts';
import { canvasList } from './methods/canvas/list.ts';
import { canvasPut } from './methods/canvas/put.ts';
import { sessionsCreate } from './methods/sessions/create.ts';
import { sessionsDelete } from './methods/sessions/delete.ts';
import { sessionsGet } from './methods/sessions/get.ts';
import { sessionsHistory } from './methods/sessions/history.ts';
import { sessionsList } from './methods/sessions/list.ts';
import { sessionsSubscribe, sessionsUnsubscribe } from './methods/sessions/subscribe.ts';
import { sessionsSwitch } from './methods/sessions/switch.ts';
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
  sessionsList,
  sessionsGet,
  sessionsHistory,
  sessionsCreate,
  sessionsSwitch,
  sessionsSubscribe,
  sessionsUnsubscribe,
  sessionsDelete,
  agentSend,
  agentCancel,
  agentSetToolUseCallback,
  agentConfirm,
  agentConfirmations,
  canvasPut,
  canvasGet,
  canvasList,
  canvasDelete,
  canvasClear,
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
