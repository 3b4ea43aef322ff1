import { recapLimits, type Recap } from '@drawbridge/contracts/machines/recap';
import type { RecapFiles, RecapFilesInput } from '@drawbridge/contracts/machines/recap-files';
import { repeatedLimits, type Repeated } from '@drawbridge/contracts/machines/repeated';
import type { Clock } from '@drawbridge/kit';
import type { ConfirmationsStore } from '../calls/store/confirmations.store.ts';
import { readFiles } from './recap-files.ts';
import type { RecapStore } from './recap.store.ts';
import { repeatedOf } from './repeated.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const iso = (at: number) => new Date(at).toISOString();

/** What happened since a person was here last. */
export interface Recaps {
  /** Notes that the person is here. Null where nothing was called since the visit before, or it was seen. */
  open(userId: string): Promise<Recap | null>;
  /** The person has seen the recap up to that time. */
  seen(userId: string, to: string): Promise<void>;
  /** Files that calls changed in that time, 7 days at most. */
  files(userId: string, times: RecapFilesInput): Promise<RecapFiles>;
  /** What was allowed once again and again, with the rule that would have answered. */
  repeated(userId: string): Promise<Repeated[]>;
}

interface Needs {
  clock: Clock;
  store: RecapStore;
  confirmations: Pick<ConfirmationsStore, 'decided' | 'approved'>;
}

export const createRecaps = ({ clock, store, confirmations }: Needs): Recaps => ({
  open: async (userId) => {
    const now = clock.now();
    const isNewAfter = now - recapLimits.newVisitMinutes * minuteMs;
    const since = await store.visit(userId, { now, isNewAfter });
    if (since === null) return null;
    const times = { from: Math.max(since.from, since.to - recapLimits.days * dayMs), to: since.to };
    const { rows, others } = await store.rows(userId, times, recapLimits.rows);
    return rows.length === 0 ? null : { from: iso(times.from), to: iso(times.to), rows, others };
  },
  seen: (userId, to) => store.seen(userId, Date.parse(to)),
  files: (userId, input) => {
    const to = Math.min(Date.parse(input.to), clock.now() + 1);
    const from = Math.max(Date.parse(input.from), to - recapLimits.days * dayMs);
    return readFiles({ store, confirmations }, userId, { from, to });
  },
  repeated: async (userId) => {
    const from = clock.now() - repeatedLimits.days * dayMs;
    return repeatedOf(await confirmations.decided(userId, { from, calls: repeatedLimits.questions }));
  },
});
