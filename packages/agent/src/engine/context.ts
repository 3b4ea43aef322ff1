import type { AgentNeeds } from '../ports/needs.ts';
import type { TurnEffect } from '../turns/effects.ts';
import type { StepContext } from '../turns/steps/step-context.ts';

/** All that the engine works with; other floors name the parts that they use. */
export interface RunContext extends AgentNeeds, StepContext {
  /** Continues an agent whose rows have changed. */
  wake(userId: string, agentId: string): void;
  /** Does what the stored writes of a turn lead to. */
  perform(effects: readonly TurnEffect[]): Promise<void>;
}
