import {
  confirmationArgument,
  confirmationText,
  type ToolRequest,
  type ToolResult,
} from '@drawbridge/contracts';

type Entry =
  | { kind: 'running' }
  /** Answered with a question: the same request comes again with the decision. */
  | { kind: 'asked'; body: string }
  /** `body` is null when it was let go to stay within the budget. */
  | { kind: 'answered'; body: string | null }
  | { kind: 'cancelled' };

export type Verdict = { type: 'run' } | { type: 'repeat'; body: string } | { type: 'ignore' };

const maxEntries = 10_000;
const bodyBudget = 4 * 1024 * 1024;

/** Whether a result is a question for the user. Only the whole first text block of an error counts. */
export const isQuestion = (result: ToolResult | undefined): boolean => {
  const first = result?.isError === true ? result.content[0] : undefined;
  return first?.type === 'text' && confirmationText.safeDecode(first.text).success;
};

/** Remembers which requests were started, so that a repeat is answered and never runs twice. In memory. */
export interface Ledger {
  /** What to do with a request that has just come in. `run` marks it as running. */
  take(request: ToolRequest): Verdict;
  answered(requestId: string, body: string, kind: 'asked' | 'answered'): void;
  /** A request that has not come yet shall not run when it does. */
  cancelled(requestId: string): void;
}

export const createLedger = (): Ledger => {
  const entries = new Map<string, Entry>();
  let bodyLength = 0;

  const bodyOf = (entry: Entry | undefined) => (entry && 'body' in entry ? (entry.body?.length ?? 0) : 0);

  const put = (requestId: string, entry: Entry) => {
    bodyLength += bodyOf(entry) - bodyOf(entries.get(requestId));
    entries.delete(requestId);
    entries.set(requestId, entry);
  };

  const trim = () => {
    for (const entry of entries.values()) {
      if (bodyLength <= bodyBudget) break;
      if (entry.kind !== 'answered' || entry.body === null) continue;
      bodyLength -= entry.body.length;
      entry.body = null;
    }
    for (const [id, entry] of entries) {
      if (entries.size <= maxEntries) break;
      if (entry.kind === 'running') continue;
      bodyLength -= bodyOf(entry);
      entries.delete(id);
    }
  };

  const run = (requestId: string): Verdict => {
    put(requestId, { kind: 'running' });
    return { type: 'run' };
  };

  const gone = JSON.stringify({ error: 'This call was answered before; its result is no longer kept' });

  return {
    take: ({ requestId, toolCall }) => {
      const entry = entries.get(requestId);
      if (entry === undefined) return run(requestId);
      switch (entry.kind) {
        case 'running':
        case 'cancelled':
          return { type: 'ignore' };
        case 'asked':
          return confirmationArgument in toolCall.arguments
            ? run(requestId)
            : { type: 'repeat', body: entry.body };
        case 'answered':
          return { type: 'repeat', body: entry.body ?? gone };
        default:
          return entry satisfies never;
      }
    },
    answered: (requestId, body, kind) => {
      put(requestId, { kind, body });
      trim();
    },
    cancelled: (requestId) => {
      const kind = entries.get(requestId)?.kind;
      if (kind === 'running' || kind === 'answered') return;
      put(requestId, { kind: 'cancelled' });
      trim();
    },
  };
};
