import type { CallSummary } from '@drawbridge/contracts/calls';

/** A call, or repeats of one kind that are one row until it is opened; the newest first. */
export type CallRow =
  | { kind: 'call'; call: CallSummary; isRepeat: boolean }
  | { kind: 'repeats'; calls: readonly CallSummary[] };

/** Calls that change nothing: each of the others is a row of its own, but for a command that is run again. */
const reading: ReadonlySet<string> = new Set(['read_file', 'list_files', 'get_file_tree', 'search_files']);
/** The fewest repeats that are folded into one row; those of one command are further apart. */
const reads = { leastRepeats: 4, longestGapMs: 5_000 };
const commands = { leastRepeats: 3, longestGapMs: 3_600_000 };
const isCommand = ({ tool }: CallSummary): boolean => tool === 'shell_execute';
const limitsOf = (call: CallSummary) => (isCommand(call) ? commands : reads);
const foldedEnds: ReadonlySet<string> = new Set(['succeeded', 'failed', 'denied']);

/** "content/posts" of "content/posts/a.md"; empty for a file of the shared folder itself. */
const folderOf = (subject: string): string => /^(.*)[/\\][^/\\]*$/.exec(subject)?.[1] ?? '';

/** A subject that ends so is the beginning of a command: two of them may differ in the rest. */
const isCut = (subject: string): boolean => subject.endsWith('…');

const hasSameWork = (call: CallSummary, next: CallSummary): boolean => {
  if (isCommand(call)) return call.subject === next.subject && !isCut(call.subject);
  if (!reading.has(call.tool) || call.state !== 'succeeded') return false;
  return call.tool !== 'read_file' || folderOf(call.subject) === folderOf(next.subject);
};

const isLike = (call: CallSummary, next: CallSummary): boolean =>
  call.tool === next.tool &&
  call.state === next.state &&
  foldedEnds.has(call.state) &&
  call.decidedBy === next.decidedBy &&
  call.machineId === next.machineId &&
  call.via?.kind === next.via?.kind &&
  call.via?.id === next.via?.id &&
  hasSameWork(call, next) &&
  Math.abs(Date.parse(call.createdAt) - Date.parse(next.createdAt)) <= limitsOf(call).longestGapMs;

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
    const [first] = run;
    const isRepeat = first !== undefined && run.length >= limitsOf(first).leastRepeats;
    const single = run.map((call): CallRow => ({ kind: 'call', call, isRepeat }));
    if (!isRepeat) return single;
    const isOpen = run.some(({ requestId }) => opened.has(requestId));
    return [{ kind: 'repeats', calls: run }, ...(isOpen ? single : [])];
  });

/** What a row of repeats says: "npm test, 6 times", "30 files in content/posts", "5 times". */
export const repeatWords = (
  calls: readonly CallSummary[],
): { subject: string; count: string; folder: string } => {
  const subjects = new Set(calls.map(({ subject }) => subject));
  const [first] = calls;
  if (first !== undefined && subjects.size === 1)
    return { subject: first.subject, count: `${calls.length} times`, folder: '' };
  return first?.tool === 'read_file'
    ? { subject: '', count: `${subjects.size} files`, folder: folderOf(first.subject) }
    : { subject: '', count: `${calls.length} times`, folder: '' };
};
