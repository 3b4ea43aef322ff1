import type { StoredConfirmation } from '../store/confirmation-row.ts';
import type { ConfirmationsStore } from '../store/confirmations.store.ts';
import type { CallRecord } from '../call.ts';
import type { CallMachineState } from '../transition/call-state.ts';
import type { CallData } from '../transition/transition.ts';

const stateOf = (
  record: CallRecord,
  open: StoredConfirmation | undefined,
  silentUntil: number,
): CallMachineState => {
  const { endsAt, decision } = record;
  if (open) {
    const leftMs = Math.max(0, endsAt - open.createdAt);
    return {
      kind: 'awaiting-confirmation',
      confirmationId: open.shown.id,
      expiresAt: open.expiresAt,
      leftMs,
    };
  }
  if (record.state === 'delivered') return { kind: 'delivered', endsAt, deadlineAt: silentUntil, decision };
  return { kind: 'pending', endsAt, delivered: record.deliveredAt !== null, decision };
};

/**
 * An open call of its rows; `silentUntil` is its deadline once delivered, and its earliest end. Null if one
 * of its questions cannot be read: its answer is then unknown.
 */
export const readCallData = async (
  confirmations: Pick<ConfirmationsStore, 'ofCall'>,
  stored: CallRecord,
  { silentUntil, endsAt = stored.endsAt }: { silentUntil: number; endsAt?: number },
): Promise<CallData | null> => {
  const rows = await confirmations.ofCall(stored.requestId);
  const questions = rows.filter((question) => question !== null);
  if (questions.length < rows.length) return null;
  const open = questions.find((question) => question.shown.state === 'open');
  const record = open ? stored : { ...stored, endsAt };
  const answered = questions.findLast(({ shown }) => shown.state === 'decided');
  return {
    record,
    state: stateOf(record, open, silentUntil),
    asked: new Set(questions.flatMap(({ askId, digest }) => (askId === null ? [] : [digest]))),
    answered: { askId: answered?.askId ?? null, reach: answered?.shown.reach ?? null },
  };
};
