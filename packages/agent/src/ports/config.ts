import type { AgentAction, AgentPolicy } from '@drawbridge/contracts/agent/settings';

/** The owner's settings, read for each step. */
export interface AgentConfig {
  /** Why the agent may not work; null when it may. */
  off: 'module' | 'model' | null;
  /** What answers messages without a choice of their thread, the first that can: `native`, `gemini`, … */
  runtimeBackends: readonly string[];
  policy: Record<AgentAction, AgentPolicy>;
  areToolsDeferred: boolean;
  areSecretsMasked: boolean;
  observerTokens: number;
  reflectorTokens: number;
  /** The first part of the names of the person's memory; null: no run knows it. */
  memoryNamespace: string | null;
  askTtlMs: number;
  maxRuns: number;
  maxRunsPerUser: number;
  tokensPerDay: number | null;
  /** In millionths of the owner's currency. */
  costMicroPerDay: number | null;
}
