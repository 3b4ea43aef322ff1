import type { BoundedMap } from '@drawbridge/kit';
import type { Counted } from '../../memory/context.ts';
import type { History } from '../../memory/history.ts';
import type { Day } from '../../ports/day.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { EndedCalls } from '../../tools/common/repeats.ts';
import type { ToolContext } from '../../tools/common/tool.ts';
import type { Withdrawals } from '../ends/resume-calls.ts';

/** What a step keeps for the next one, so that it reads less. */
export interface StepCaches {
  /** Notices that were shown in each thread since the start: once each. */
  shownNotices: BoundedMap<string, true>;
  /** The provider's count of the last step of each agent, by its id. */
  counts: BoundedMap<string, Counted>;
  /** What the agents at work have read of their histories, by their ids. */
  histories: Map<string, History>;
  /** What the agents at work have read of their calls, by their ids. */
  endedCalls: Map<string, EndedCalls>;
  /** When notes may be tried again after a failure of the helper model, by history. */
  notesAfter: BoundedMap<string, number>;
}

/** What a step of an agent uses: its tools, the model, and what it keeps. */
export interface StepContext
  extends ToolContext, StepCaches, Withdrawals, Pick<AgentNeeds, 'model' | 'bus' | 'tracer'> {
  /** The daily limits of each user: entered before each model call. */
  day: Day;
}

/** Why an agent's work is aborted, where it does not begin again. */
export const agentEnds = 'the agent ends';
