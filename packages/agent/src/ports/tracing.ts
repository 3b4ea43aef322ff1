/** The place of a span in the trace of its run. Ids are ours: of an agent, a call, or a piece of work. */
export interface TraceParent {
  runId: string;
  /** Null for the main agent of a run. */
  parentId: string | null;
  attributes: Record<string, string | number | string[]>;
}

/** A piece of work that has ended. */
export interface TraceSpan extends TraceParent {
  operation: 'invoke_agent' | 'chat' | 'execute_tool' | 'memory';
  /** What it worked with: a kind of agent, a model, a tool. */
  subject: string;
  id: string;
  startedAt: number;
  endedAt: number;
  /** Texts of the conversation, read only where they are traced. */
  content?(): Record<string, string>;
  /** A word for why it failed. */
  error?: string;
}

/** Neither throws nor blocks. */
export interface Tracer {
  /** The id of a run's trace, in 32 hexadecimal digits; null while nothing is traced. */
  traceId(runId: string): string | null;
  record(span: TraceSpan): void;
}
