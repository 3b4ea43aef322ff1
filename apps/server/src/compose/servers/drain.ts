import { sleep, type Clock } from '@drawbridge/kit';
import type { Config } from '../../config.ts';
import { isDatabaseTrouble } from '../../errors.ts';
import type { Gateway, ThisServer } from '../../gateway/index.ts';
import type { Web } from '../create-web.ts';

const lookEveryMs = 20;

/** How long a server may give its work up before it stops, in milliseconds. */
export const drainMs = ({ redisUrl, drainSeconds }: Pick<Config, 'redisUrl' | 'drainSeconds'>): number =>
  redisUrl === undefined ? 0 : drainSeconds * 1_000;

/** Without its store a server stops all the same: another one, or its next start, does what is left. */
export const evenWithoutStore =
  (onError: (error: unknown) => void) =>
  async (step: Promise<unknown> | undefined): Promise<void> => {
    try {
      await step;
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      onError(error);
    }
  };

interface Needs {
  clock: Clock;
  /** How long requests that are in progress may still be answered, in milliseconds; 0: no drain. */
  boundMs: number;
  web: Pick<Web, 'draining'>;
  /** Null for a server that is alone. */
  server: Pick<ThisServer, 'drain'> | null;
  gateway: Pick<Gateway, 'leaveMachines'>;
  /** The sockets of clients; null without them. */
  sockets: { announce(): void; close(): Promise<void> } | null;
  /** Null where it is disabled. */
  agent: { stop(): Promise<void> } | null;
  onError(error: unknown): void;
}

/**
 * Ends the work of this server. One of several leaves: balancers see it in the first tenth of the time, then
 * new requests are refused, threads and machines go to other servers, and requests in progress are answered.
 */
export const stopServing = async (needs: Needs): Promise<void> => {
  const { clock, boundMs, web, server, gateway, sockets, agent } = needs;
  const { leave, refuse, cutEventStreams, isIdle } = web.draining;
  const done = evenWithoutStore(needs.onError);
  const until = clock.now() + boundMs;
  leave();
  server?.drain();
  if (boundMs > 0) await sleep(clock, boundMs / 10);
  refuse();
  sockets?.announce();
  await done(agent?.stop());
  if (boundMs === 0) return;
  // Their readers connect to another server, and go on from the last event that they have.
  cutEventStreams();
  await Promise.all([sockets?.close(), done(gateway.leaveMachines(boundMs / 3))]);
  while (!isIdle() && clock.now() < until) await sleep(clock, lookEveryMs);
};
