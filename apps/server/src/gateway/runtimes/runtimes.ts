import { runtimeTestMs, type RuntimeList, type RuntimesQuery } from '@drawbridge/contracts/machines/runtimes';
import { createQueries, requireConnected, type QueryNeeds } from '../connection/queries.ts';
import type { Machine, MachineRef } from '../machines/registry.ts';

/** The coding agents of a user's machine, asked of its daemon each time. */
export interface Runtimes {
  /**
   * Queries the daemon of a machine and returns its coding agents. Throws `notConnected`, and `timedOut`
   * after 10 s, or 50 s for a test. A daemon without the feature has none.
   */
  query(ref: MachineRef, query: RuntimesQuery): Promise<RuntimeList>;
}

/** Coding agents as a daemon reports them. */
export interface MachineRuntimes {
  /** Accepts a daemon's answer; one without a pending query is ignored. */
  answer(machine: Machine, requestId: string, body: RuntimeList): void;
}

/** For the way there and back. */
const wayMs = 5_000;

export const createRuntimes = (needs: QueryNeeds): Runtimes & MachineRuntimes => {
  const queries = createQueries<RuntimeList>(needs, (message) =>
    message.type === 'runtimes-answered' ? { ...message, answer: message.body } : undefined,
  );
  return {
    query: async (ref, query) => {
      const machine = await queries.find(ref);
      requireConnected(machine);
      if (!machine.info.daemon?.features.includes('runtimes')) return { runtimes: [] };
      return queries.ask(
        machine,
        (requestId) => ({ type: 'runtimes-request', payload: { requestId, query } }),
        query.type === 'test' ? runtimeTestMs + wayMs : needs.limits.queryTimeoutMs,
      );
    },
    answer: ({ id: machineId }, requestId, body) =>
      queries.answer({ type: 'runtimes-answered', machineId, requestId, body }),
  };
};
