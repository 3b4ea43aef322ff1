import type { LiveThreadEvent } from '@drawbridge/contracts/agent/events';

export interface AgentBus {
  /** Something of the thread is stored. */
  changed(userId: string, threadId: string): void;
  /** An event that is not stored. */
  live(userId: string, threadId: string, event: LiveThreadEvent): void;
}

/** Makes ids: `run_…`, `ag_…`, `tc_…`, `ask_…`, `msg_…`. */
export type NewId = (prefix: string) => string;
