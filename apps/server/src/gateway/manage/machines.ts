import type { ReportedModes } from '@drawbridge/contracts/daemon-surface';
import type { GatewayStatus, KnownMachine } from '@drawbridge/contracts/gateway';
import { envGatewayUserId } from '@drawbridge/contracts/ids';
import type { Release } from '@drawbridge/contracts/release';
import type { Tool } from '@drawbridge/contracts/tool';
import type { MachineSummary, RefusedPairing } from '@drawbridge/contracts/machines/summary';
import type { Connections } from '../connection/connections.ts';
import type { Keys } from '../pairing/keys.ts';
import { both, watchTopic, type Subscription } from '../bus.ts';
import { toKnownMachine, toSummary } from './known-machine.ts';
import { createMachineControls, type MachineControlsNeeds } from './machine-controls.ts';
import { toStatus, type Machine, type MachineRef } from '../machines/registry.ts';

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
  /** Its user has paused it: calls are refused. */
  isPaused: boolean;
}

export interface MachinesNeeds extends Omit<MachineControlsNeeds, 'all'> {
  keys: Pick<Keys, 'isPaired' | 'revokeMachine'>;
  connections: Pick<Connections, 'disconnect' | 'latencyMs'>;
  /** The daemon that this server offers for download. */
  release: Release | undefined;
}

/** The machines of a user. A ref of a machine that is not theirs throws `notFound`. */
export const createMachines = (needs: MachinesNeeds) => {
  const { clock, store, registry, keys, connections, openCalls, bus, release } = needs;
  const refOf = (userId: string, { id }: Machine): MachineRef => ({ userId, machineId: id });
  const get = ({ userId, machineId }: MachineRef) => registry.find(userId, machineId);

  const summary = async (machine: Machine, isDefault: boolean): Promise<MachineSummary> =>
    toSummary(machine, {
      isDefault,
      hasKey: await keys.isPaired(machine.id),
      status: toStatus(machine, release),
      latencyMs: connections.latencyMs(machine),
    });

  /** Those that the user may choose, the environment's among them; oldest first. */
  const usable = async (userId: string): Promise<{ machines: Machine[]; standard: Machine | undefined }> => {
    const [own, standard] = [await registry.ofUser(userId), await registry.default(userId)];
    return { machines: standard && !own.includes(standard) ? [...own, standard] : own, standard };
  };

  const usableMachines = async (userId: string) => (await usable(userId)).machines;

  const summaries = async (userId: string): Promise<MachineSummary[]> => {
    const { machines, standard } = await usable(userId);
    return Promise.all(machines.map((machine) => summary(machine, machine === standard)));
  };

  return {
    /** The user's machine of that id or name, or `notFound`. */
    find: async (userId: string, idOrName: string): Promise<MachineRef> =>
      refOf(userId, await registry.find(userId, idOrName)),
    /** Those that the user may choose, oldest first. */
    list: async (userId: string): Promise<MachineRef[]> =>
      (await usableMachines(userId)).map((machine) => refOf(userId, machine)),
    /** The machine that the user means where they name none; null while they have none. */
    default: async (userId: string): Promise<MachineRef | null> => {
      const machine = await registry.default(userId);
      return machine ? refOf(userId, machine) : null;
    },
    view: async (ref: MachineRef): Promise<MachineView> => {
      const machine = await get(ref);
      const { name, toolList, modes, pausedAt } = machine.info;
      return {
        ref,
        name,
        status: () => toStatus(machine, release),
        tools: toolList.tools,
        digest: toolList.digest,
        modes,
        isPaused: pausedAt !== null,
      };
    },
    /** The machine's state, also while it is offline. */
    known: async (ref: MachineRef): Promise<KnownMachine> => {
      const machine = await get(ref);
      return toKnownMachine(machine, { hasKey: await keys.isPaired(machine.id) });
    },
    /** Revokes its keys and closes its connection. */
    disconnect: async (ref: MachineRef) => {
      const machine = await get(ref);
      await keys.revokeMachine(machine);
      connections.disconnect(machine, 'user');
    },
    /** The machines of the user with all that the panel shows of them, oldest first. */
    summaries,
    ...createMachineControls({ clock, store, registry, connections, openCalls, bus, all: usableMachines }),
    /** Called when a daemon came with a token of the user and was refused. Such a message is not stored. */
    onRefused: (userId: string, listener: (refused: RefusedPairing) => void): Subscription =>
      watchTopic(
        bus,
        { topic: `user:${userId}`, type: 'pairing-refused' },
        ({ refused }) => listener(refused),
        () => {},
      ),
    /** Called when the status of one of the user's machines may have changed. */
    onChanged: (userId: string, listener: () => void): Subscription =>
      // The owner also sees the environment's machine.
      both(
        watchTopic(bus, { topic: `user:${userId}`, type: 'machine-changed' }, listener, listener),
        watchTopic(bus, { topic: `user:${envGatewayUserId}`, type: 'machine-changed' }, listener, () => {}),
      ),
  };
};
