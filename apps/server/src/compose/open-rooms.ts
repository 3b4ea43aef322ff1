import type { ServerAgent } from '../agent/index.ts';
import { createSealer } from '../secrets/index.ts';
import type { Gateway } from '../gateway/index.ts';
import { createCompanions, createPushTokensStore, type PresenceOfServer } from '../nodes/index.ts';
import { createOps, createOpsStore, createRunProgram, type ModelCalls } from '../ops/index.ts';
import type { SettingsOfServer } from '../settings/index.ts';
import type { AppNeeds, OpenAccounts } from './open-accounts.ts';

interface Parts extends Pick<AppNeeds, 'config' | 'clock'> {
  opened: OpenAccounts;
  gateway: Gateway;
  agent: ServerAgent | null;
  modelCalls: ModelCalls;
  settings: SettingsOfServer;
  presence: PresenceOfServer;
}

/** Companions, presence, and services of this machine. */
export const openRooms = ({
  config,
  clock,
  opened,
  gateway,
  agent,
  modelCalls,
  settings,
  presence,
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
      clock,
      gates: async () => (await settings.get()).values.nodes,
      store: createPushTokensStore(db),
      seal: createSealer(secret).seal,
    }),
  };
};

export type Rooms = ReturnType<typeof openRooms>;
