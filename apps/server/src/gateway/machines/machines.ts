import type { GatewayStatus, KnownMachine, StateChanged } from '@drawbridge/contracts/gateway';
import type { Release } from '@drawbridge/contracts/release';
import type { Tool } from '@drawbridge/contracts/tool';
import { errors } from '../../errors.ts';
import type { Connections } from '../connection/connections.ts';
import type { Keys } from '../pairing/keys.ts';
import type { Bus } from '../bus.ts';
import { toKnownMachine } from './known-machine.ts';
import { isConnected, toStatus, type Machine, type Registry } from './registry.ts';
import { createStateWatch } from './state-watch.ts';

/** One machine as one user means it; a ref of a machine that is not theirs answers `notFound`. */
export interface MachineRef {
  userId: string;
  machineId: string;
}

/** A machine as a door shows it: what it offers, or offered last while it is away. `digest` tells equal lists. */
export interface MachineView {
  machineId: string;
  status(): GatewayStatus;
  tools: ReadonlyMap<string, Tool>;
  digest: string;
}

/** The machines of a user. */
export interface Machines {
  /**
   * The machine of that id, else the user's default one. `notFound` where it is not theirs, `notConnected` where the user
   * has no machine.
   */
  resolve(userId: string, machineId?: string): Promise<MachineRef>;
  /** The machine of that id, else the default one; null while the user never had one. `notFound` where it is not theirs. */
  get(userId: string, machineId?: string): Promise<MachineView | null>;
  /** The default machine, also while it is away; null while the user never had one. */
  known(userId: string): Promise<KnownMachine | null>;
  status(userId: string): Promise<GatewayStatus>;
  /** What the default machine offers; empty while it is away. */
  tools(userId: string): Promise<Tool[]>;
  /** Revokes the default machine's keys and closes its connection. */
  disconnect(userId: string): Promise<void>;
  /** The status on each change; the present one is not sent. */
  onChanged(userId: string, listener: (event: StateChanged) => void): () => void;
}

export interface MachinesNeeds {
  registry: Registry;
  keys: Pick<Keys, 'isPaired' | 'revokeMachine'>;
  connections: Pick<Connections, 'disconnect'>;
  bus: Bus;
  /** The daemon that this server offers for download. */
  release: Release | undefined;
  onError(error: unknown): void;
}

export const createMachines = (needs: MachinesNeeds): Machines => {
  const { registry, keys, connections, bus, release, onError } = needs;
  const shown = (machine: Machine | undefined) => toStatus(machine, release);
  return {
    resolve: async (userId, machineId) => {
      const machine = await registry.used(userId, machineId);
      if (!machine) throw errors.notConnected();
      return { userId, machineId: machine.id };
    },
    get: async (userId, machineId) => {
      const machine = await registry.used(userId, machineId);
      if (!machine) return null;
      const { tools, digest } = machine.info.toolList;
      return { machineId: machine.id, status: () => shown(machine), tools, digest };
    },
    known: async (userId) => {
      const machine = await registry.used(userId);
      return machine ? toKnownMachine(machine, { hasKey: await keys.isPaired(machine.id) }) : null;
    },
    status: async (userId) => shown(await registry.used(userId)),
    tools: async (userId) => {
      const machine = await registry.used(userId);
      return isConnected(machine) ? [...machine.info.toolList.tools.values()] : [];
    },
    disconnect: async (userId) => {
      const machine = await registry.used(userId);
      if (!machine) return;
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
    onChanged: createStateWatch({ bus, registry, shown, onError }),
  };
};
