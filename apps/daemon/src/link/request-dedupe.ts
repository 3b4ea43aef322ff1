import type { ToolRequest } from '@drawbridge/contracts/daemon-event';
import { confirmationArgument } from '@drawbridge/contracts/tool-call';
import { createBoundedMap } from '@drawbridge/kit';
import { missingFromJournal, type Journal } from '../journal/index.ts';

/** What happened to requests in this process; what the journal holds stands there alone. */
type Entry =
  | { kind: 'running' }
  /** Answered with a question: the same request comes again with the decision. */
  | { kind: 'asked'; body: string }
  /** Nothing was changed: once this is evicted, the call may run again. */
  | { kind: 'answered'; body: string }
  | { kind: 'cancelled' };

export type Verdict = { type: 'run' } | { type: 'repeat'; body: string } | { type: 'ignore' };

const maxEntries = 10_000;
const maxBodyLength = 1024 * 1024;

export interface RequestDedupeNeeds {
  journal: Pick<Journal, 'get' | 'isDoubtful'>;
  changes(tool: string): boolean;
}

const gone = JSON.stringify({ error: 'This call was answered before; its result is no longer kept' });

/** Remembers started requests: a repeat is answered, and a call that changes something never runs twice. */
export const createRequestDedupe = ({ journal, changes }: RequestDedupeNeeds) => {
  const entries = createBoundedMap<string, Entry>({
    maxEntries,
    maxWeight: maxBodyLength,
    weigh: (entry) => ('body' in entry ? entry.body.length : 0),
    isEvictable: ({ kind }) => kind !== 'running',
  });

  const run = (requestId: string): Verdict => {
    entries.set(requestId, { kind: 'running' });
    return { type: 'run' };
  };

  /** What this process does not know: from before its start, or long ago. */
  const takeUnknown = ({ requestId, toolCall, again }: ToolRequest): Verdict => {
    const kept = journal.get(requestId);
    switch (kept?.kind) {
      case 'done':
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
    /** What to do with a request that has just come in. `run` marks it as running. */
    take: (request: ToolRequest): Verdict => {
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
    answered: (requestId: string, body: string, kind: 'asked' | 'answered') =>
      entries.set(requestId, { kind, body }),
    /** The server has the answer to a call that may run again. */
    delivered: (requestId: string) => {
      if (entries.get(requestId)?.kind === 'answered') entries.delete(requestId);
    },
    journaled: (requestId: string) => void entries.delete(requestId),
    /** Marks a request that has not arrived as cancelled. False where it runs, or has ended. */
    cancelled: (requestId: string) => {
      const kind = entries.get(requestId)?.kind;
      if (kind !== undefined && kind !== 'asked') return false;
      const kept = journal.get(requestId)?.kind;
      if (kept !== undefined && kept !== 'received') return false;
      entries.set(requestId, { kind: 'cancelled' });
      return true;
    },
  };
};
