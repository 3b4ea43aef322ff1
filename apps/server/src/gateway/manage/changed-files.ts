import { isWholeDiff, mergedDiff } from '@drawbridge/contracts/machines/merged-diff';
import {
  recapFilesLimits,
  type NotMergedCause,
  type RecapFile,
  type RecapStep,
} from '@drawbridge/contracts/machines/recap-files';
import type { DiffPreview, Preview } from '@drawbridge/contracts/preview';

/** When a call may have run, in milliseconds since 1970: Infinity for an end that is not known. */
interface Window {
  from: number;
  to: number;
}

/** A call that changed a file. `preview`: null where no text of it is kept. */
export interface FileChange {
  requestId: string;
  machineId: string;
  tool: string;
  subject: string;
  preview: Preview | null;
  window: Window;
}

/** A call of which it is not known whether it changed a file, or when. */
export type UnclearChange = Pick<FileChange, 'machineId' | 'subject' | 'window'>;

const writingTools = ['write_file', 'edit_file', 'undo_change'];

/** Whether its preview is about one file alone, and all that the call changed. */
const isOfOneFile = ({ tool, preview }: FileChange): boolean =>
  preview !== null &&
  writingTools.includes(tool) &&
  (preview.kind === 'text' || preview.hunks.every(({ file }) => file === undefined));

/** Longer subjects are cut: two files can have the same. */
const longestSubject = 199;

/** The path of a change: as the machine writes it, else as the machine wrote it for the same argument. */
const pathsBySubject = (changes: readonly FileChange[]) => {
  const paths = new Map<string, string>();
  for (const change of changes)
    if (change.preview !== null && isOfOneFile(change) && change.tool !== 'undo_change')
      paths.set(`${change.machineId} ${change.subject}`, change.preview.path);
  return ({ machineId, subject }: Pick<FileChange, 'machineId' | 'subject'>): string | undefined =>
    subject.length > longestSubject ? undefined : paths.get(`${machineId} ${subject}`);
};

interface Chain {
  step: RecapStep;
  window: Window;
  members: ReadonlySet<FileChange>;
}

const linesOf = ({ hunks }: DiffPreview): number => hunks.reduce((sum, { lines }) => sum + lines.length, 0);

const isOverlapping = (a: Window, b: Window): boolean => a.from <= b.to && b.from <= a.to;

/** What would come of both: one diff, or why not. `others`: all that may have changed the file. */
const joined = (
  chain: Chain,
  next: FileChange,
  others: readonly (FileChange | { window: Window })[],
): DiffPreview | NotMergedCause => {
  const [earlier, later] = [chain.step.preview, next.preview];
  if (earlier === null || later === null) return 'noText';
  if (earlier.kind === 'text' || later.kind === 'text' || ![earlier, later].every(isWholeDiff))
    return 'notWhole';
  const both = { from: chain.window.from, to: next.window.to };
  const isBetween = (other: FileChange | { window: Window }) =>
    other !== next && !chain.members.has(other as FileChange) && isOverlapping(other.window, both);
  if (chain.window.to >= next.window.from || others.some(isBetween)) return 'otherCall';
  const merged = mergedDiff(earlier, later);
  if (merged === undefined) return 'otherText';
  return linesOf(merged) > recapFilesLimits.mergedLines ? 'tooLong' : merged;
};

const stepsOf = (
  changes: readonly FileChange[],
  others: readonly (FileChange | { window: Window })[],
): RecapStep[] => {
  const chains: Chain[] = [];
  for (const change of changes) {
    const { requestId, tool, window, preview } = change;
    const call = { requestId, tool, at: new Date(window.from).toISOString() };
    const last = chains.at(-1);
    const both = last ? joined(last, change, others) : null;
    if (last && both !== null && typeof both === 'object') {
      last.step = { ...last.step, preview: both, calls: [...last.step.calls, call] };
      last.window = { from: last.window.from, to: window.to };
      last.members = new Set([...last.members, change]);
    } else
      chains.push({
        step: { calls: [call], preview, notMerged: both as NotMergedCause | null },
        window,
        members: new Set([change]),
      });
  }
  return chains.map(({ step }) => step);
};

/**
 * The changes of each file of each machine, merged where nothing that is known speaks against it; the file
 * that was changed last first.
 */
export const changedFiles = (
  changes: readonly FileChange[],
  unclear: readonly UnclearChange[],
): RecapFile[] => {
  const known = pathsBySubject(changes);
  const pathOf = (change: FileChange) => change.preview?.path ?? known(change) ?? change.subject;
  const files = new Map<string, { path: string; machineId: string; changes: FileChange[] }>();
  for (const change of changes.toSorted((a, b) => a.window.to - b.window.to)) {
    const path = pathOf(change);
    const key = `${change.machineId} ${path}`;
    const file = files.get(key) ?? { path, machineId: change.machineId, changes: [] };
    // The last one to be changed is the last one of the map.
    files.delete(key);
    files.set(key, file);
    file.changes.push(change);
  }
  /** Those that can have changed any file of the machine. */
  const anywhere = [
    ...changes.filter(
      (change) =>
        !isOfOneFile(change) && (!writingTools.includes(change.tool) || known(change) === undefined),
    ),
    ...unclear.filter((one) => known(one) === undefined),
  ];
  const isChanged = ({ preview }: FileChange) => preview?.kind !== 'diff' || preview.hunks.length > 0;
  const shown = [...files.values()].filter((file) => file.changes.some(isChanged));
  return shown.toReversed().map(({ path, machineId, changes: own }) => {
    const others = [...anywhere, ...unclear.filter((one) => known(one) === path)];
    const onMachine = others.filter((one) => one.machineId === machineId);
    return { path, machineId, steps: stepsOf(own, [...own, ...onMachine]) };
  });
};
