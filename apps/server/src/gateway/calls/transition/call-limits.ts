import { actionTool, turnTool } from '@drawbridge/contracts/machines/runtimes';
import type { GatewayLimits } from '../../limits.ts';
import type { CallRecord } from '../call.ts';
import type { CallLimits } from './call-state.ts';

/**
 * A coding agent works on while its machine is away: its turn waits for the machine, and so does what it asks
 * for on the way. Only a turn that the machine has not got yet does not.
 */
const outlives: Record<string, CallLimits['outlives']> = {
  [turnTool]: ['delivered'],
  [actionTool]: ['pending', 'delivered'],
};

export type SilenceLimits = Pick<GatewayLimits, 'callTimeoutMs' | 'turnTimeoutMs'>;

export const limitsOf = (
  { tool }: Pick<CallRecord, 'tool'>,
  { callTimeoutMs, turnTimeoutMs }: SilenceLimits,
): CallLimits => {
  const states = outlives[tool];
  return states === undefined
    ? { silenceMs: callTimeoutMs, outlives: [] }
    : { silenceMs: turnTimeoutMs, outlives: states };
};
