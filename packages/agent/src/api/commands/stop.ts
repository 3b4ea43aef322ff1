import { hasCode } from '@drawbridge/kit';
import type { Command } from './command.ts';

/** `/stop` and `/cancel`: ends what waits, then the run. */
export const stopCommand: Command = async ({ cancel }, { sender, threadId }) => {
  const nothing = { cancelled: false, runId: null, rejected: 0 };
  const { cancelled, runId, rejected } = await cancel(sender.userId, threadId, {}).catch((error: unknown) => {
    if (hasCode(error, 'NOT_FOUND')) return nothing;
    throw error;
  });
  if (!cancelled) return 'Nothing is running.';
  const waiting = rejected === 0 ? '' : ` ${rejected} waiting message${rejected === 1 ? '' : 's'} removed.`;
  return `${runId === null ? 'No run was open.' : 'Stopping the run.'}${waiting}`;
};
