import type { ProcessesBody, ProcessesQuery, ProcessList } from '@drawbridge/contracts/machines/processes';
import { errors } from '../../errors.ts';
import { createQueries, requireConnected, type QueryNeeds } from '../connection/queries.ts';
import type { Machine, MachineRef } from '../machines/registry.ts';

/** The processes in the background of a user's machine, asked of its daemon each time. */
export interface Processes {
  /**
   * Queries the daemon of a machine and returns its processes. Throws `notConnected`, `timedOut` after 10 s,
   * and `notFound` for a process that it does not have. A daemon without the feature has none.
   */
  query(ref: MachineRef, query: ProcessesQuery): Promise<ProcessList>;
}

/** Processes as a daemon reports them. */
export interface MachineProcesses {
  /** Accepts a daemon's answer; one without a pending query is ignored. */
  answer(machine: Machine, requestId: string, body: ProcessesBody): void;
}

export const createProcesses = (needs: QueryNeeds): Processes & MachineProcesses => {
  const queries = createQueries<ProcessList>(needs, (message) => {
    if (message.type !== 'processes-answered') return undefined;
    const { body } = message;
    return { ...message, answer: 'refused' in body ? errors.notFound({ message: body.message }) : body };
  });
  return {
    query: async (ref, query) => {
      const machine = await queries.find(ref);
      requireConnected(machine);
      if (!machine.info.daemon?.features.includes('processes')) return { processes: [] };
      return queries.ask(machine, (requestId) => ({
        type: 'processes-request',
        payload: { requestId, query },
      }));
    },
    answer: ({ id: machineId }, requestId, body) =>
      queries.answer({ type: 'processes-answered', machineId, requestId, body }),
  };
};
