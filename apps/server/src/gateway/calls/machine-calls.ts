import type { createKeyedQueue, TransientMap } from '@drawbridge/kit';
import type { Bus } from '../bus.ts';
import type { Streams } from '../connection/streams.ts';
import type { OpenCall } from './open-call.ts';
import type { CallsStore } from './store/calls.store.ts';

interface Needs {
  bus: Pick<Bus, 'pollMs'>;
  store: Pick<CallsStore, 'openOf'>;
  streams: Pick<Streams, 'ready'>;
  queue: ReturnType<typeof createKeyedQueue>;
  /** The calls in memory. */
  openCalls: Pick<TransientMap<string, OpenCall>, 'has' | 'values'>;
  load(requestId: string): Promise<OpenCall | undefined>;
  onError(error: unknown): void;
}

/** The open calls of one machine, also those that other servers have made. */
export const createMachineCalls = (needs: Needs) => {
  const { bus, store, streams, queue, openCalls, load, onError } = needs;

  const othersOf = async (machineId: string): Promise<OpenCall[]> => {
    if (bus.pollMs === null) return [];
    const loaded: OpenCall[] = [];
    for (const requestId of await store.openOf([machineId])) {
      const call = openCalls.has(requestId) ? undefined : await load(requestId);
      if (call) loaded.push(call);
    }
    return loaded;
  };

  const heldOf = (machineId: string) =>
    [...openCalls.values()].filter(({ data }) => data.record.machineId === machineId);

  return {
    /** Runs `job` in the turn of each. */
    each: async (machineId: string, job: (call: OpenCall) => Promise<unknown>): Promise<void> => {
      const run = (call: OpenCall) =>
        queue.run(call.data.record.requestId, () => job(call)).then(() => undefined, onError);
      const held = heldOf(machineId).map(run);
      await Promise.all([...held, ...(await othersOf(machineId)).map(run)]);
    },
    /**
     * The same one after the other, as the reader takes them: all at once may be more than a slow one leaves
     * unread.
     */
    eachInOrder: async (machineId: string, job: (call: OpenCall) => Promise<unknown>): Promise<void> => {
      for (const call of [...heldOf(machineId), ...(await othersOf(machineId))]) {
        await queue.run(call.data.record.requestId, () => job(call)).catch(onError);
        await streams.ready(machineId);
      }
    },
  };
};
