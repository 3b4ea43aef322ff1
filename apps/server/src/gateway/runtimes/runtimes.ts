import { runtimeTestMs, type RuntimeList, type RuntimesQuery } from '@drawbridge/contracts/machines/runtimes';
import { errors } from '../../errors.ts';
import { createQueries } from '../connection/queries.ts';
import type { Machine, MachineRef } from '../machines/registry.ts';
import type { ProcessesNeeds } from '../processes/processes.ts';

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

export const createRuntimes = (needs: ProcessesNeeds): Runtimes & MachineRuntimes => {
  const { registry, settings, limits } = needs;
  const queries = createQueries<RuntimeList>(needs, (message) =>
    message.type === 'runtimes-answered' ? { ...message, answer: message.body } : undefined,
  );
  return {
    query: async ({ userId, machineId }, query) => {
      await settings.requireEnabled(userId);
      const machine = await registry.find(userId, machineId);
      const { kind } = machine.connection;
      if (kind !== 'online' && kind !== 'elsewhere') throw errors.notConnected();
      if (!machine.info.daemon?.features.includes('runtimes')) return { runtimes: [] };
      return queries.ask(
        machine,
        (requestId) => ({ type: 'runtimes-request', payload: { requestId, query } }),
        query.type === 'test' ? runtimeTestMs + wayMs : limits.queryTimeoutMs,
      );
    },
    answer: ({ id: machineId }, requestId, body) =>
      queries.answer({ type: 'runtimes-answered', machineId, requestId, body }),
  };
};
