import type { PlanTaskRow } from '../../rows/rows.ts';
import { failureSignature } from '../common/repeats.ts';

const maxAttempts = 5;

export type Attempts = Pick<PlanTaskRow, 'tries' | 'signatures'>;

export type Verdict =
  | { ok: true }
  /** `patch`: the work needs a change. `rebuild`: it is done anew. */
  | { ok: false; failure: string; needs: 'patch' | 'rebuild' };

export interface VerifyStep extends Attempts {
  state: 'done' | 'patch' | 'rebuild' | 'failed';
  /** What the agent does next, in one or two sentences. */
  guidance: string;
}

const advice = {
  patch: 'Change only what caused the failure, then verify again and report the verdict.',
  rebuild: 'Discard this attempt, build it anew in another way, then verify again and report the verdict.',
} as const;

/**
 * The step after a verification: attempt → verify → done | patch | rebuild | failed. A failure signature
 * that was seen before ends the task, and so does the fifth verdict without success.
 */
export const nextAttempt = ({ tries, signatures }: Attempts, verdict: Verdict): VerifyStep => {
  const attempt = tries + 1;
  if (verdict.ok) {
    return { state: 'done', tries: attempt, signatures, guidance: 'Verified. Finish with a short result.' };
  }
  const signature = failureSignature('verify', verdict.failure);
  const next = { tries: attempt, signatures: [...signatures, signature] };
  if (signatures.includes(signature)) {
    const guidance =
      'The same failure came twice, so this task has failed. Stop, and report what you tried and what failed.';
    return { ...next, state: 'failed', guidance };
  }
  if (attempt >= maxAttempts) {
    const guidance = `Attempt ${maxAttempts} of ${maxAttempts} failed, so this task has failed. Stop, and report what you tried and what failed.`;
    return { ...next, state: 'failed', guidance };
  }
  const guidance = `Attempt ${attempt} of ${maxAttempts} failed. ${advice[verdict.needs]}`;
  return { ...next, state: verdict.needs, guidance };
};
