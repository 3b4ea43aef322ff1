import {
  confirmationArgument,
  confirmationText,
  type ToolRequest,
  type ToolResult,
} from '@drawbridge/contracts';
import { missingFromJournal, type Journal } from '../journal/index.ts';

/** What happened to requests in this process; what the journal holds stands there alone. */
type Entry =
  | { kind: 'running' }
  /** Answered with a question: the same request comes again with the decision. */
  | { kind: 'asked'; body: string }
  /** Nothing was changed: when this is let go to stay within the budget, the call may run again. */
  | { kind: 'answered'; body: string }
  | { kind: 'cancelled' };

export type Verdict = { type: 'run' } | { type: 'repeat'; body: string } | { type: 'ignore' };

const maxEntries = 10_000;
const bodyBudget = 1024 * 1024;

/** Whether a result is a question for the user. Only the whole first text block of an error counts. */
export const isQuestion = (result: ToolResult | undefined): boolean => {
  const first = result?.isError === true ? result.content[0] : undefined;
  return first?.type === 'text' && confirmationText.safeDecode(first.text).success;
};

/** Remembers which requests were started, so that a repeat is answered and what changes something never runs twice. */
export interface Ledger {
  /** What to do with a request that has just come in. `run` marks it as running. */
  take(request: ToolRequest): Verdict;
  /** The end of a run whose result is not in the journal. */
  answered(requestId: string, body: string, kind: 'asked' | 'answered'): void;
  /** The end of a run whose result is in the journal. */
  journaled(requestId: string): void;
  /** A request that has not come yet shall not run when it does. False where it runs, or has ended. */
  cancelled(requestId: string): boolean;
}

export interface LedgerNeeds {
  journal: Pick<Journal, 'get' | 'isDoubtful'>;
  /** Whether the tool of that name changes anything. */
  changes(tool: string): boolean;
}

const gone = JSON.stringify({ error: 'This call was answered before; its result is no longer kept' });

export const createLedger = ({ journal, changes }: LedgerNeeds): Ledger => {
  const entries = new Map<string, Entry>();
  let bodyLength = 0;

  const bodyOf = (entry: Entry | undefined) => (entry && 'body' in entry ? entry.body.length : 0);

  const remove = (requestId: string) => {
    bodyLength -= bodyOf(entries.get(requestId));
    entries.delete(requestId);
  };

  const put = (requestId: string, entry: Entry) => {
    remove(requestId);
    bodyLength += bodyOf(entry);
    entries.set(requestId, entry);
  };

  const trim = () => {
    for (const [id, { kind }] of entries) {
      if (bodyLength <= bodyBudget && entries.size <= maxEntries) return;
      if (kind !== 'running') remove(id);
    }
  };

  const run = (requestId: string): Verdict => {
    put(requestId, { kind: 'running' });
    return { type: 'run' };
  };

  /** What this process does not know: from before its start, or long ago. */
  const takeUnknown = ({ requestId, toolCall, again }: ToolRequest): Verdict => {
    const kept = journal.get(requestId);
    switch (kept?.kind) {
      case 'waiting':
        return { type: 'repeat', body: kept.body };
      case 'settled':
        return { type: 'repeat', body: kept.body ?? gone };
      case 'started':
        return { type: 'ignore' };
      case 'received':
      case undefined:
        return again === true && changes(toolCall.name) && journal.isDoubtful()
          ? { type: 'repeat', body: missingFromJournal }
          : run(requestId);
      default:
        return kept satisfies never;
    }
  };

  return {
    take: (request) => {
      const { requestId, toolCall } = request;
      const entry = entries.get(requestId);
      switch (entry?.kind) {
        case undefined:
          return takeUnknown(request);
        case 'running':
        case 'cancelled':
          return { type: 'ignore' };
        case 'asked':
          return confirmationArgument in toolCall.arguments
            ? run(requestId)
            : { type: 'repeat', body: entry.body };
        case 'answered':
          return { type: 'repeat', body: entry.body };
        default:
          return entry satisfies never;
      }
    },
    answered: (requestId, body, kind) => {
      put(requestId, { kind, body });
      trim();
    },
    journaled: remove,
    cancelled: (requestId) => {
      const kind = entries.get(requestId)?.kind;
      if (kind !== undefined && kind !== 'asked') return false;
      const kept = journal.get(requestId)?.kind;
      if (kept !== undefined && kept !== 'received') return false;
      put(requestId, { kind: 'cancelled' });
      trim();
      return true;
    },
  };
};
