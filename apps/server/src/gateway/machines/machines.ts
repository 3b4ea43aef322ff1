import type { ReportedModes } from '@drawbridge/contracts/daemon-surface';
import type { GatewayStatus, KnownMachine } from '@drawbridge/contracts/gateway';
import { envGatewayUserId } from '@drawbridge/contracts/ids';
import type { Release } from '@drawbridge/contracts/release';
import type { Tool } from '@drawbridge/contracts/tool';
import type { Connections } from '../connection/connections.ts';
import type { Keys } from '../pairing/keys.ts';
import type { Bus, BusMessage } from '../bus.ts';
import { toKnownMachine } from './known-machine.ts';
import { toStatus, type Machine, type MachineRef, type Registry } from './registry.ts';

/**
 * A machine as a door shows it: what it offers, or offered last while it is offline. `digest` tells equal
 * lists.
 */
export interface MachineView {
  ref: MachineRef;
  name: string;
  status(): GatewayStatus;
  tools: ReadonlyMap<string, Tool>;
  digest: string;
  modes: ReportedModes | null;
}

/** The machines of a user. A ref of a machine that is not theirs throws `notFound`. */
export interface Machines {
  /** The user's machine of that id or name, or `notFound`. */
  find(userId: string, idOrName: string): Promise<MachineRef>;
  /** Those of the user, oldest first. */
  list(userId: string): Promise<MachineRef[]>;
  /** The machine that the user means where they name none; null while they have none. */
  default(userId: string): Promise<MachineRef | null>;
  view(ref: MachineRef): Promise<MachineView>;
  /** The machine's state, also while it is offline. */
  known(ref: MachineRef): Promise<KnownMachine>;
  /** Revokes its keys and closes its connection. */
  disconnect(ref: MachineRef): Promise<void>;
  /** Called when the status of one of the user's machines may have changed. */
  onChanged(userId: string, listener: () => void): () => void;
}

export interface MachinesNeeds {
  registry: Registry;
  keys: Pick<Keys, 'isPaired' | 'revokeMachine'>;
  connections: Pick<Connections, 'disconnect'>;
  bus: Bus;
  /** The daemon that this server offers for download. */
  release: Release | undefined;
}

export const createMachines = (needs: MachinesNeeds): Machines => {
  const { registry, keys, connections, bus, release } = needs;
  const refOf = (userId: string, { id }: Machine): MachineRef => ({ userId, machineId: id });
  const get = ({ userId, machineId }: MachineRef) => registry.find(userId, machineId);
  return {
    find: async (userId, idOrName) => refOf(userId, await registry.find(userId, idOrName)),
    list: async (userId) => (await registry.ofUser(userId)).map((machine) => refOf(userId, machine)),
    default: async (userId) => {
      const machine = await registry.default(userId);
      return machine ? refOf(userId, machine) : null;
    },
    view: async (ref) => {
      const machine = await get(ref);
      const { name, toolList, modes } = machine.info;
      return {
        ref,
        name,
        status: () => toStatus(machine, release),
        tools: toolList.tools,
        digest: toolList.digest,
        modes,
      };
    },
    known: async (ref) => {
      const machine = await get(ref);
      return toKnownMachine(machine, { hasKey: await keys.isPaired(machine.id) });
    },
    disconnect: async (ref) => {
      const machine = await get(ref);
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
    onChanged: (userId, listener) => {
      const onMessage = (message: BusMessage) => {
        if (message.type === 'machine-changed') listener();
      };
      // The owner also sees the environment's machine.
      const subscriptions = [userId, envGatewayUserId].map((id) => bus.subscribe(`user:${id}`, onMessage));
      const stopWatchingGaps = bus.onGap(listener);
      return () => {
        for (const subscription of subscriptions) subscription.stop();
        stopWatchingGaps();
      };
    },
  };
};
