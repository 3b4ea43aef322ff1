import type { GatewayStatus, StateChanged } from '@drawbridge/contracts/gateway';
import { envGatewayUserId } from '@drawbridge/contracts/ids';
import type { Bus, BusMessage } from '../bus.ts';
import type { Machine, Registry } from './registry.ts';

export interface StateWatchNeeds {
  bus: Bus;
  registry: Registry;
  /** What a user sees of a machine. */
  shown(machine: Machine | undefined): GatewayStatus;
  onError(error: unknown): void;
}

/** Listens to what one user sees of their machine; the returned function stops it. */
export type StateWatch = (userId: string, listen: (event: StateChanged) => void) => () => void;

/** Tells each user of the changes of the machine that is theirs to use, and of no other. Specification 8. */
export const createStateWatch = ({
  bus,
  registry,
  shown: statusOf,
  onError,
}: StateWatchNeeds): StateWatch => {
  /** Two equal texts: nothing that a user sees differs. Another list of tools is a change, and so are other modes. */
  const describe = (machine: Machine | undefined) =>
    JSON.stringify([statusOf(machine), machine?.info.toolList.digest, machine?.info.modes]);

  return (userId, listen) => {
    let stopped = false;
    let shown = '';
    const look = async () => {
      shown = describe(await registry.used(userId));
    };
    const tell = async () => {
      const machine = await registry.used(userId);
      const before = shown;
      shown = describe(machine);
      if (!stopped && shown !== before)
        listen({ type: 'instanceAiGatewayStateChanged', payload: statusOf(machine) });
    };
    let last = look().catch(onError);
    const check = () => {
      last = last.then(tell).catch(onError);
    };
    const onMessage = (message: BusMessage) => {
      if (message.type === 'machine-changed') check();
    };
    const stopWatchingGaps = bus.onGap(check);
    // The owner's machine may be the environment's.
    const watched = [userId, envGatewayUserId].map((id) => bus.subscribe(`user:${id}`, onMessage));
    return () => {
      stopped = true;
      for (const subscription of watched) subscription.stop();
      stopWatchingGaps();
    };
  };
};
