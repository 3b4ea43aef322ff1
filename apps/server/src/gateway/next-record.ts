import { errorTable, type CallError, type Decision, type ToolResult } from '@drawbridge/contracts';
import type { CallRecord } from './call-record.ts';
import type { CallEffect, CallMachineState } from './call-state.ts';
import type { ClosingConfirmation } from './calls.store.ts';

/** What an event brings to a record beside the change of state. */
export interface Brought {
  result?: ToolResult | null;
  error?: CallError | null;
  answerDigest?: string;
  decision?: Decision | null;
  decidedBy?: string;
}

/** The record of a call that comes to `state`: pure. `epoch` is that of the machine now. */
export const nextRecord = (
  before: CallRecord,
  state: CallMachineState,
  { decision, decidedBy, at, epoch, ...brought }: Brought & { at: number; epoch: number | null },
): CallRecord => {
  const record: CallRecord = {
    ...before,
    decision: decision === undefined ? before.decision : decision,
    decidedBy: decidedBy ?? before.decidedBy,
  };
  switch (state.kind) {
    case 'pending':
      return {
        ...record,
        state: 'pending',
        confirmationId: null,
        endsAt: state.endsAt,
        epoch: state.given ? record.epoch : null,
        deliveredAt: state.given ? record.deliveredAt : null,
      };
    case 'delivered':
      return {
        ...record,
        state: 'delivered',
        epoch: record.epoch ?? epoch,
        deliveredAt: record.deliveredAt ?? at,
      };
    case 'awaiting-confirmation':
      return {
        ...record,
        state: 'awaiting-confirmation',
        confirmationId: state.confirmationId,
        decision: null,
        decidedBy: null,
      };
    case 'ended': {
      const row = state.error === null ? null : errorTable[state.error];
      return {
        ...record,
        state: state.end,
        started: state.started,
        error: row === null ? (brought.error ?? null) : { code: row.code, message: row.message },
        result: brought.result ?? null,
        answerDigest: brought.answerDigest ?? null,
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
