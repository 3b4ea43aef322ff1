import { sleep, type Clock } from '@drawbridge/kit';
import type { Gateway } from '../../gateway/index.ts';
import type { Web } from '../create-web.ts';

const lookEveryMs = 20;

interface Needs {
  clock: Clock;
  /** How long the drain may take, in milliseconds. */
  boundMs: number;
  web: Pick<Web, 'draining'>;
  gateway: Pick<Gateway, 'leaveMachines'>;
  /** Gives up the threads of the agent. */
  releaseThreads(): Promise<void>;
  /** Closes the sockets of clients. */
  closeSockets(): Promise<void>;
}

/**
 * A server of several leaves: balancers see it in the first tenth of the time, then new requests are refused,
 * threads and machines go to other servers, and the requests in progress are answered.
 */
export const drain = async (needs: Needs): Promise<void> => {
  const { clock, boundMs, web, gateway, releaseThreads, closeSockets } = needs;
  const { leave, refuse, cutEventStreams, isIdle } = web.draining;
  const until = clock.now() + boundMs;
  leave();
  await sleep(clock, boundMs / 10);
  refuse();
  await releaseThreads();
  // Their readers connect to another server, and go on from the last event that they have.
  cutEventStreams();
  await Promise.all([closeSockets(), gateway.leaveMachines(boundMs / 3)]);
  while (!isIdle() && clock.now() < until) await sleep(clock, lookEveryMs);
};
