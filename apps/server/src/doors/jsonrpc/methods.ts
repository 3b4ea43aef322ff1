import type { Method } from './method.ts';
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
];

/** Every method by its name. A `Map`, so that no name reaches a prototype. */
export const methods: ReadonlyMap<string, Method> = new Map(all.map((one) => [one.name, one]));
