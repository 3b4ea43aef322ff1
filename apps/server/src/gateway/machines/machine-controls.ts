import type { ForgottenMachine, MachineNumbers } from '@drawbridge/contracts/machines/summary';
import type { Clock } from '@drawbridge/kit';
import type { Bus } from '../bus.ts';
import type { OpenCalls } from '../calls/open-calls.ts';
import type { Connections } from '../connection/connections.ts';
import type { ManageMachines } from './manage-machines.store.ts';
import type { Machine, MachineRef, Registry } from './registry.ts';

export interface MachineControlsNeeds {
  clock: Clock;
  store: ManageMachines;
  registry: Registry;
  connections: Pick<Connections, 'disconnect'>;
  openCalls: Pick<OpenCalls, 'cancelOf'>;
  bus: Bus;
  /** The machines that the user may choose. */
  all(userId: string): Promise<Machine[]>;
}

/** What a user changes of their machines. A ref of a machine that is not theirs throws `notFound`. */
export const createMachineControls = (needs: MachineControlsNeeds) => {
  const { clock, store, registry, connections, openCalls, bus, all } = needs;
  const get = ({ userId, machineId }: MachineRef) => registry.find(userId, machineId);

  /** A row was changed: other servers read it again, and so do the windows of its user. */
  const announce = (userId: string, { id }: Machine) => {
    registry.refresh(userId);
    bus.publish('all', { type: 'machine-stored', userId, machineId: id, by: bus.here });
    bus.publish(`user:${userId}`, { type: 'machine-changed', userId });
  };

  /** Null resumes it. Stored first: the calls that were made before this server knows of it are cancelled. */
  const setPaused = async (machine: Machine, pausedAt: number | null) => {
    if ((machine.info.pausedAt === null) === (pausedAt === null)) return;
    await store.setPaused(machine, pausedAt);
    registry.setPaused(machine, pausedAt);
    announce(machine.userId, machine);
    if (pausedAt !== null) await openCalls.cancelOf(machine.id);
  };
  const setAllPaused = async (userId: string, pausedAt: number | null) => {
    await Promise.all((await all(userId)).map((machine) => setPaused(machine, pausedAt)));
  };

  return {
    /** Throws `machineNameTaken` for a name that another machine of the user has. */
    rename: async (ref: MachineRef, name: string) => {
      const machine = await get(ref);
      await store.rename(machine, name);
      announce(machine.userId, machine);
    },
    /** Makes it the machine that the user means where they name none. */
    setDefault: async (ref: MachineRef) => {
      const machine = await get(ref);
      await store.setDefault(ref.userId, machine);
      announce(ref.userId, machine);
    },
    /**
     * Cancels its open calls, withdraws their questions, and refuses new ones with `machinePaused` until it
     * is resumed. It stays paired and connected.
     */
    pause: async (ref: MachineRef) => setPaused(await get(ref), clock.now()),
    resume: async (ref: MachineRef) => setPaused(await get(ref), null),
    /** The same for all machines of the user. */
    pauseAll: (userId: string) => setAllPaused(userId, clock.now()),
    resumeAll: (userId: string) => setAllPaused(userId, null),
    /** Removes it from the list and ends its pairing; its calls stay. Throws `machineConnected`. */
    forget: async (ref: MachineRef) => {
      const machine = await get(ref);
      await store.forget(machine, clock.now());
      connections.disconnect(machine, 'user');
      announce(machine.userId, machine);
    },
    /** The machines that the user has removed, newest first. */
    forgotten: (userId: string): Promise<ForgottenMachine[]> => store.forgotten(userId),
    /** The user's calls since that time in milliseconds, by machine. */
    numbers: (userId: string, since: number): Promise<MachineNumbers[]> => store.numbers(userId, since),
  };
};
