import type { DaemonEvent } from '@drawbridge/contracts/daemon-event';
import type { CallRecord } from '../call.ts';
import type { CallMachineState } from '../call-state.ts';

interface Requested {
  record: CallRecord;
  state: CallMachineState;
  /** What the call's decision answers, and how far it goes. */
  answered: { askId: string | null; reach: string | null };
}

/**
 * The frame that sends a call, and its decision if it has one. `again`: it may have been sent before.
 * `timeoutMs` is null for a daemon that sends no identity.
 */
export const requestFrame = (
  { record, state, answered }: Requested,
  { again, timeoutMs }: { again: boolean; timeoutMs: number | null },
): DaemonEvent => {
  const decision = state.kind === 'ended' || state.kind === 'awaiting-confirmation' ? null : state.decision;
  const toolCall = {
    name: record.tool,
    arguments: decision === null ? record.arguments : { ...record.arguments, _confirmation: decision },
  };
  return {
    type: 'filesystem-request',
    payload: {
      requestId: record.requestId,
      toolCall,
      ...(timeoutMs === null ? {} : { timeoutMs }),
      ...(again ? { again } : {}),
      ...(decision !== null && answered.askId !== null ? { askId: answered.askId } : {}),
      ...(decision !== null && answered.reach !== null ? { reach: answered.reach } : {}),
    },
  };
};
