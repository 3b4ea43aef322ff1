import { nextMacrotask, sleep, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { failureOf } from './protocol/error.ts';
import { closeCodes } from './socket/connection.ts';
import type { Connections } from './socket/connections.ts';

/** When a client may try again, in milliseconds. */
const retryAfterMs = 2_000;
/** Requests that are still open by then end with an error. */
const settleWithinMs = 2_500;
/** A socket that is not closed by then is cut by its own time-out. */
const closeWithinMs = 1_200;
const lookEveryMs = 20;

interface Needs {
  connections: Connections;
  clock: Clock;
}

/** The end of the server, at this door: an event, no new work, the last frames, and `1012`. */
export const createDrain = ({ connections, clock }: Needs) => {
  let isDraining = false;
  let announcedAt = 0;

  const waitUntil = async (isDone: () => boolean, until: number) => {
    while (!isDone() && clock.now() < until) await sleep(clock, lookEveryMs);
  };
  const open = () => [...connections.all()];

  return {
    isDraining: () => isDraining,
    /** Tells every connection; new work is refused from now on. */
    announce: (): void => {
      isDraining = true;
      announcedAt = clock.now();
      for (const connection of open()) connection.event({ event: 'shutdown', data: { retryAfterMs } });
    },
    /** Resolves when every socket is closed, or was cut. Call it after the agent and the gateway stopped. */
    close: async (): Promise<void> => {
      await nextMacrotask();
      await waitUntil(
        () => open().every(({ requests }) => requests.size() === 0),
        announcedAt + settleWithinMs,
      );
      for (const { requests } of open()) requests.endAll(failureOf(errors.shuttingDown()));
      for (const connection of open()) connection.close(closeCodes.restart);
      await waitUntil(() => connections.all().size === 0, clock.now() + closeWithinMs);
    },
  };
};
