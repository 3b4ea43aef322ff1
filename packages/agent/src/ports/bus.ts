import type { LiveThreadEvent } from '@drawbridge/contracts/agent/events';
import type { PartialText } from '@drawbridge/contracts/agent/threads';

export interface AgentBus {
  /** Something of the thread is stored. */
  changed(userId: string, threadId: string): void;
  /** An event that is not stored. */
  live(userId: string, threadId: string, event: LiveThreadEvent): void;
  /** What is known of a text that is not stored yet. */
  writing(
    userId: string,
    threadId: string,
    text: Pick<PartialText, 'agentId' | 'step'>,
  ): PartialText | undefined;
  /** Gets live texts of the thread that other servers publish, until it is stopped. */
  follow(userId: string, threadId: string): () => void;
}

/** Makes ids: `run_…`, `ag_…`, `tc_…`, `ask_…`, `msg_…`. */
export type NewId = (prefix: string) => string;
