import type { GatewayStatus, KnownMachine, MachineChoice, StateChanged } from '@drawbridge/contracts/gateway';
import type { Tool } from '@drawbridge/contracts/tool';
import { errors } from '../errors.ts';
import { offlineStatus, type Gateway, type MachineRef, type MachineView } from '../gateway/index.ts';
import type { Caller, CallerContext } from './caller.ts';

/** A user and a machine id or name; without one, the user's default machine. */
type Meant = Pick<Caller, 'userId' | 'machineId'>;

/**
 * The machine that is meant; null for a user without machines. Throws `notFound` for one that is not theirs.
 */
const meantMachine = async (gateway: Gateway, { userId, machineId }: Meant): Promise<MachineRef | null> =>
  machineId === undefined ? gateway.machines.default(userId) : gateway.machines.find(userId, machineId);

/** The same, or `notConnected` for a user without machines. */
export const requireMachine = async (gateway: Gateway, meant: Meant): Promise<MachineRef> => {
  const ref = await meantMachine(gateway, meant);
  if (!ref) throw errors.notConnected();
  return ref;
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

/** The machines that the user may choose, oldest first. */
export const machineChoices = async (gateway: Gateway, userId: string): Promise<MachineChoice[]> => {
  const { machines } = gateway;
  const [own, standard] = await Promise.all([machines.list(userId), machines.default(userId)]);
  const isOwn = own.some(({ machineId }) => machineId === standard?.machineId);
  const refs = standard && !isOwn ? [...own, standard] : own;
  return Promise.all(
    refs.map(async (ref) => {
      const { name, status } = await machines.view(ref);
      const { machineId: id } = ref;
      return { id, name, isConnected: status().connected, isDefault: id === standard?.machineId };
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

/** Another list of tools is a change of the machine, and so are other modes, and another default. */
const describe = (machine: MachineView | null) =>
  JSON.stringify([machine?.ref.machineId, machine?.status(), machine?.digest, machine?.modes]);

/**
 * Subscribes to the status of one machine as its user sees it, without the present one. The returned function
 * unsubscribes. Specification 8.
 */
export const watchMachine = (
  { gateway, onError }: Pick<CallerContext, 'gateway' | 'onError'>,
  meant: Meant,
  listener: (event: StateChanged) => void,
): (() => void) => {
  let isStopped = false;
  let shown: string | null = null;
  const read = async () => {
    const machine = await machineOf(gateway, meant);
    const before = shown;
    shown = describe(machine);
    return { payload: machine?.status() ?? offlineStatus, isChanged: shown !== before };
  };
  // A change during the first read is sent: that read may have seen it, and the caller's may not.
  const check = async (isEarly: boolean) => {
    const { payload, isChanged } = await read();
    if ((isChanged || isEarly) && !isStopped) listener({ type: 'instanceAiGatewayStateChanged', payload });
  };
  let last: Promise<unknown> = read().catch(onError);
  const unsubscribe = gateway.machines.onChanged(meant.userId, () => {
    const isEarly = shown === null;
    last = last.then(() => check(isEarly)).catch(onError);
  });
  return () => {
    isStopped = true;
    unsubscribe();
  };
};
