import type { ForgottenMachine, MachineNumbers } from '@drawbridge/contracts/machines/summary';
import type { Clock } from '@drawbridge/kit';
import type { Bus } from '../bus.ts';
import type { OpenCalls, OpenWork } from '../calls/runner/open-calls.ts';
import type { Connections } from '../connection/connections.ts';
import type { ManageMachines } from './manage-machines.store.ts';
import type { Machine, MachineRef, Registry } from '../machines/registry.ts';

export interface MachineControlsNeeds {
  clock: Clock;
  store: ManageMachines;
  registry: Registry;
  connections: Pick<Connections, 'disconnect'>;
  openCalls: Pick<OpenCalls, 'cancelOf' | 'countOf'>;
  bus: Bus;
  /** The machines that the user may choose. */
  all(userId: string): Promise<Machine[]>;
}

const stoppedMessage = 'The user stopped everything';

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

  /** Null resumes it. In memory first: a read goes out beside the write that the store would refuse. */
  const setPaused = async (machine: Machine, pausedAt: number | null) => {
    const before = machine.info.pausedAt;
    if ((before === null) === (pausedAt === null)) return;
    registry.setPaused(machine, pausedAt);
    try {
      await store.setPaused(machine, pausedAt);
    } catch (error) {
      registry.setPaused(machine, before);
      throw error;
    }
    announce(machine.userId, machine);
  };
  const ofAll = async <T>(userId: string, change: (machine: Machine) => Promise<T>): Promise<T[]> =>
    Promise.all((await all(userId)).map(change));

  const pause = async (machine: Machine): Promise<OpenWork> => {
    await setPaused(machine, clock.now());
    return openCalls.countOf(machine.id);
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
     * Refuses new calls with `machinePaused` until it is resumed. Its open calls go on, and their questions
     * can be answered; resolves to how many there are.
     */
    pause: async (ref: MachineRef): Promise<OpenWork> => pause(await get(ref)),
    resume: async (ref: MachineRef) => setPaused(await get(ref), null),
    /** The same for all machines of the user. */
    pauseAll: async (userId: string): Promise<OpenWork> =>
      (await ofAll(userId, pause)).reduce(
        (sum, { calls, questions }) => ({
          calls: sum.calls + calls,
          questions: sum.questions + questions,
        }),
        { calls: 0, questions: 0 },
      ),
    resumeAll: async (userId: string) => void (await ofAll(userId, (machine) => setPaused(machine, null))),
    /** Cancels all open calls of the user and withdraws their questions; resolves when they have ended. */
    cancelAll: async (userId: string) =>
      void (await ofAll(userId, ({ id }) => openCalls.cancelOf(id, stoppedMessage))),
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
