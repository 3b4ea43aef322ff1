import {
  listProcessesInput,
  processIdInput,
  processPortInput,
  type ProcessesQuery,
} from '@drawbridge/contracts/machines/processes';
import { requireMachine } from '../../../callers/index.ts';
import type { Gateway } from '../../../gateway/index.ts';
import { router, userProcedure } from '../trpc.ts';

interface Asked {
  ctx: { gateway: Gateway; userId: string };
  /** The default machine when undefined. */
  machineId?: string | undefined;
}

const query = async ({ ctx: { gateway, userId }, machineId }: Asked, processesQuery: ProcessesQuery) => {
  const meant = { userId, ...(machineId !== undefined && { machineId }) };
  return gateway.processes.query(await requireMachine(gateway, meant), processesQuery);
};

/** The processes in the background of a machine of the user. Each procedure gives all of them. */
export const processesRouter = router({
  list: userProcedure.input(listProcessesInput).query(({ ctx, input }) => {
    const { machineId, show } = input ?? {};
    return query({ ctx, machineId }, { type: 'list', ...(show !== undefined && { show }) });
  }),
  stop: userProcedure
    .input(processIdInput)
    .mutation(({ ctx, input: { machineId, process } }) =>
      query({ ctx, machineId }, { type: 'stop', process }),
    ),
  open: userProcedure
    .input(processPortInput)
    .mutation(({ ctx, input: { machineId, process, port } }) =>
      query({ ctx, machineId }, { type: 'open', process, port }),
    ),
});
