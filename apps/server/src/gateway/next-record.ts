import { errorTable, type CallError, type Decision, type ToolResult } from '@drawbridge/contracts';
import type { CallRecord } from './call-record.ts';
import type { CallEffect, CallMachineState } from './call-state.ts';
import type { ClosingConfirmation } from './calls.store.ts';

/** What an event brings to a record beside the change of state. */
export interface Brought {
  result?: ToolResult | null;
  error?: CallError | null;
  answerDigest?: string | null;
  decision?: Decision | null;
  decidedBy?: string | null;
}

/** The record of a call that comes to `state`: pure. `epoch` is that of the machine now. */
export const nextRecord = (
  before: CallRecord,
  state: CallMachineState,
  {
    decision = before.decision,
    decidedBy = before.decidedBy,
    result = null,
    error = null,
    answerDigest = null,
    at,
    epoch,
  }: Brought & { at: number; epoch: number | null },
): CallRecord => {
  switch (state.kind) {
    case 'pending':
      return {
        ...before,
        decision,
        decidedBy,
        state: 'pending',
        confirmationId: null,
        endsAt: state.endsAt,
        epoch: state.given ? before.epoch : null,
        deliveredAt: state.given ? before.deliveredAt : null,
      };
    case 'delivered':
      return {
        ...before,
        decision,
        decidedBy,
        state: 'delivered',
        epoch: before.epoch ?? epoch,
        deliveredAt: before.deliveredAt ?? at,
      };
    case 'awaiting-confirmation':
      return {
        ...before,
        state: 'awaiting-confirmation',
        confirmationId: state.confirmationId,
        decision: null,
        decidedBy: null,
      };
    case 'ended': {
      const row = state.error === null ? null : errorTable[state.error];
      return {
        ...before,
        decision,
        decidedBy,
        state: state.end,
        started: state.started,
        error: row === null ? error : { code: row.code, message: row.message },
        result,
        answerDigest,
        confirmationId: null,
        endedAt: at,
      };
    }
    default:
      return state satisfies never;
  }
};

/** How the open confirmation of a call closes with what follows from an event; null where none does. */
export const closingOf = (record: CallRecord, effects: readonly CallEffect[]): ClosingConfirmation | null => {
  const effect = effects.find((one) => one.type === 'close-confirmation');
  const id = record.confirmationId;
  return effect?.type === 'close-confirmation' && id !== null ? { id, as: effect.as } : null;
};
