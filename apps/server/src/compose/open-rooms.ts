import type { ServerAgent } from '../agent/index.ts';
import { createSealer } from '../secrets/index.ts';
import type { Gateway, ThisServer } from '../gateway/index.ts';
import {
  createCompanions,
  createCompanionsStore,
  type NodePush,
  type PresenceOfServer,
} from '../nodes/index.ts';
import { createOps, createOpsStore, createRunProgram, type ModelCalls } from '../ops/index.ts';
import type { SettingsOfServer } from '../settings/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  opened: OpenAccounts;
  gateway: Gateway;
  server: ThisServer;
  agent: ServerAgent | null;
  modelCalls: ModelCalls;
  settings: SettingsOfServer;
  presence: PresenceOfServer;
  nodePush: NodePush;
}

/** Companions, presence, and services of this machine. */
export const openRooms = ({
  config,
  clock,
  opened,
  gateway,
  server,
  agent,
  modelCalls,
  settings,
  presence,
  nodePush,
}: Parts) => {
  const { accounts, logRing, scrubber, secret, store, onError } = opened;
  const { db } = store;
  const run = createRunProgram({ clock, environment: config.programEnvironment });
  const ops = createOps({
    clock,
    config,
    store: createOpsStore(db),
    run,
    ring: logRing,
    modelCalls,
    machines: gateway.machines,
    localModels: agent?.modelsInUse ?? (async () => ({ url: null, models: [] })),
    ownerId: accounts.ownerId,
    scrub: scrubber.scrub,
    onError,
  });
  return {
    settings,
    run,
    ops,
    presence,
    companions: createCompanions({
      server,
      gates: async () => (await settings.get()).values.nodes,
      companions: createCompanionsStore(db),
      push: nodePush,
      sealer: createSealer(secret),
      onError,
    }),
  };
};

export type Rooms = ReturnType<typeof openRooms>;
