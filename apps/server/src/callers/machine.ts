import type { GatewayStatus, KnownMachine, MachineChoice } from '@drawbridge/contracts/gateway';
import type { Tool } from '@drawbridge/contracts/tool';
import { errors } from '../errors.ts';
import { offlineStatus, type Gateway, type MachineRef, type MachineView } from '../gateway/index.ts';
import type { Caller } from './caller.ts';

/** A user, the machines that may be used on their behalf, and the id or name of the one that is meant. */
type Meant = Pick<Caller, 'userId' | 'machineId' | 'machines'>;

/** The machines that the caller may use, oldest first. */
export const reachOf = async (
  gateway: Gateway,
  { userId, machines: named }: Meant,
): Promise<MachineRef[]> => {
  const all = await gateway.machines.list(userId);
  return named ? all.filter(({ machineId }) => named.includes(machineId)) : all;
};

/**
 * The machine that is meant: the named one, else the only one of the reach, else the default. Null where none
 * is meant. Throws `notFound` for one that is not the user's, and alike for one that the caller may not use.
 */
const meantMachine = async (gateway: Gateway, meant: Meant): Promise<MachineRef | null> => {
  const { userId, machineId, machines: named } = meant;
  const isNamed = (ref: MachineRef) => named === undefined || named.includes(ref.machineId);
  if (machineId !== undefined) {
    const ref = await gateway.machines.find(userId, machineId);
    if (!isNamed(ref)) throw errors.notFound();
    return ref;
  }
  if (named === undefined) return gateway.machines.default(userId);
  const reach = await reachOf(gateway, meant);
  if (reach.length === 1) return reach[0] ?? null;
  const standard = await gateway.machines.default(userId);
  return standard && isNamed(standard) ? standard : null;
};

/** The same, or `notConnected`, which names the machines to choose from. */
export const requireMachine = async (gateway: Gateway, meant: Meant): Promise<MachineRef> => {
  const ref = await meantMachine(gateway, meant);
  if (ref) return ref;
  const reach = await reachOf(gateway, meant);
  if (reach.length === 0) throw errors.notConnected();
  const views = await Promise.all(reach.map((one) => gateway.machines.view(one)));
  const names = views.map(({ name }) => name).join(', ');
  throw errors.notConnected({ message: `Several machines can be used; name one of them: ${names}` });
};

export const machineOf = async (gateway: Gateway, meant: Meant): Promise<MachineView | null> => {
  const ref = await meantMachine(gateway, meant);
  return ref && gateway.machines.view(ref);
};

export const machineStatus = async (gateway: Gateway, meant: Meant): Promise<GatewayStatus> =>
  (await machineOf(gateway, meant))?.status() ?? offlineStatus;

/** The machine's state, also while it is offline; null for a user without machines. */
export const knownMachine = async (gateway: Gateway, meant: Meant): Promise<KnownMachine | null> => {
  const ref = await meantMachine(gateway, meant);
  return ref && gateway.machines.known(ref);
};

/** The machines that the caller may choose, oldest first. */
export const machineChoices = async (gateway: Gateway, meant: Meant): Promise<MachineChoice[]> => {
  const { machines } = gateway;
  const [refs, standard] = await Promise.all([reachOf(gateway, meant), machines.default(meant.userId)]);
  return Promise.all(
    refs.map(async (ref) => {
      const { name, status, isPaused } = await machines.view(ref);
      const { connected: isConnected, directory } = status();
      const { machineId: id } = ref;
      return { id, name, isConnected, isPaused, isDefault: id === standard?.machineId, directory };
    }),
  );
};

/** The machine's tools; none while it is offline. */
export const connectedTools = async (gateway: Gateway, meant: Meant): Promise<Tool[]> => {
  const machine = await machineOf(gateway, meant);
  return machine?.status().connected === true ? [...machine.tools.values()] : [];
};

/** Ends the pairing of the machine; nothing happens for a user without machines. */
export const disconnectMachine = async (gateway: Gateway, meant: Meant): Promise<void> => {
  const ref = await meantMachine(gateway, meant);
  if (ref) await gateway.machines.disconnect(ref);
};
