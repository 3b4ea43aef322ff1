import { envGatewayUserId, type StateChanged } from '@drawbridge/contracts';
import { createEmitter } from '@drawbridge/kit';
import type { Port } from './port.ts';
import { toStatus, type Machine, type Registry } from './registry.ts';

export interface StateWatchNeeds {
  port: Port;
  registry: Registry;
  onError(error: unknown): void;
}

/** Listens to what one user sees of their machine; the returned function stops it. */
export type StateWatch = (userId: string, listen: (event: StateChanged) => void) => () => void;

/** Two equal texts: nothing that a user sees differs. Another list of tools is a change. */
const describe = (machine: Machine | undefined) =>
  JSON.stringify([toStatus(machine), machine?.info.toolList.digest]);

/** Tells each user of the changes of the machine that is theirs to use, and of no other. Specification 8. */
export const createStateWatch = ({ port, registry, onError }: StateWatchNeeds): StateWatch => {
  const news = createEmitter<undefined>(onError);
  port.listen((item) => {
    if (item.type === 'state-changed') news.emit(item.userId, undefined);
  });

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
        listen({ type: 'instanceAiGatewayStateChanged', payload: toStatus(machine) });
    };
    let last = look().catch(onError);
    const hear = () => {
      last = last.then(tell).catch(onError);
    };
    // The owner's machine may be the environment's.
    const stops = [userId, envGatewayUserId].map((watched) => news.on(watched, hear));
    return () => {
      stopped = true;
      for (const stop of stops) stop();
    };
  };
};
