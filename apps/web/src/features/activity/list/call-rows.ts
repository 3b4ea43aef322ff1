import type { CallSummary } from '@drawbridge/contracts/calls';

/** A call, or repeats of one kind that are one row until it is opened; the newest first. */
export type CallRow =
  | { kind: 'call'; call: CallSummary; isRepeat: boolean }
  | { kind: 'repeats'; calls: readonly CallSummary[] };

/** The fewest repeats that are folded into one row. */
const leastRepeats = 4;
/** Calls that are further apart are not repeats, in milliseconds. */
const longestGapMs = 5_000;
/** Calls that change nothing: each of the others is a row of its own. */
const reading: ReadonlySet<string> = new Set(['read_file', 'list_files', 'get_file_tree', 'search_files']);

/** "content/posts" of "content/posts/a.md"; empty for a file of the shared folder itself. */
export const folderOf = (subject: string): string => /^(.*)[/\\][^/\\]*$/.exec(subject)?.[1] ?? '';

const isLike = (call: CallSummary, next: CallSummary): boolean =>
  reading.has(call.tool) &&
  call.tool === next.tool &&
  call.state === 'succeeded' &&
  next.state === 'succeeded' &&
  call.machineId === next.machineId &&
  call.via?.kind === next.via?.kind &&
  call.via?.id === next.via?.id &&
  (call.tool !== 'read_file' || folderOf(call.subject) === folderOf(next.subject)) &&
  Math.abs(Date.parse(call.createdAt) - Date.parse(next.createdAt)) <= longestGapMs;

const runsOf = (calls: readonly CallSummary[]): CallSummary[][] => {
  const runs: CallSummary[][] = [];
  for (const call of calls) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && isLike(last, call)) run.push(call);
    else runs.push([call]);
  }
  return runs;
};

/** The rows of the list. Repeats are open where one of them is in `opened`. */
export const callRows = (calls: readonly CallSummary[], opened: ReadonlySet<string>): CallRow[] =>
  runsOf(calls).flatMap((run): CallRow[] => {
    const isRepeat = run.length >= leastRepeats;
    const single = run.map((call): CallRow => ({ kind: 'call', call, isRepeat }));
    if (!isRepeat) return single;
    const isOpen = run.some(({ requestId }) => opened.has(requestId));
    return [{ kind: 'repeats', calls: run }, ...(isOpen ? single : [])];
  });

/** "30 files" of reads, "30 times" of what lists and searches. */
export const repeatWords = (calls: readonly CallSummary[]): string =>
  calls[0]?.tool === 'read_file' ? `${calls.length} files` : `${calls.length} times`;
