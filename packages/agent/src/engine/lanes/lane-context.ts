import type { AgentNeeds } from '../../ports/needs.ts';
import type { StopAgents } from '../../tools/common/tool.ts';
import type { TurnEffect } from '../../turns/effects.ts';
import type { Withdrawals } from '../../turns/ends/resume-calls.ts';
import type { MetricsRecorder } from './metrics.ts';
import type { RunSlots } from './run-slots.ts';
import type { Requests } from './requests.ts';

/** What the lanes use of what is around the agent. */
export interface LaneContext
  extends
    Pick<
      AgentNeeds,
      | 'store'
      | 'model'
      | 'machine'
      | 'bus'
      | 'tracer'
      | 'clock'
      | 'newId'
      | 'config'
      | 'queueSettings'
      | 'onPreempted'
      | 'onBackend'
      | 'onError'
    >,
    Withdrawals {
  stopAgents: StopAgents;
  /** Does what the stored writes of a turn lead to. */
  perform(effects: readonly TurnEffect[]): Promise<void>;
}

/** A run that is being stopped. */
export interface Cancelling {
  cause: 'cancelled' | 'preempted';
  askedAt: number;
  isForced: boolean;
}

/** The lanes at work. */
export interface LaneParts {
  ctx: LaneContext;
  requests: Requests;
  metrics: MetricsRecorder;
  slots: RunSlots;
  /** By the ids of runs. */
  cancelling: Map<string, Cancelling>;
}
