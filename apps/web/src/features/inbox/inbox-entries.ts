import type { OpenAsk } from '@drawbridge/contracts/agent/asks';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { leftOutWords, previewRows } from '@drawbridge/contracts/preview-rows';
import { warningsOf } from '@drawbridge/kit';
import type { Closed } from '../confirmations/closed-notes.ts';
import { previewWarnings } from '../confirmations/preview/preview-warnings.ts';

/** One line of the inbox. `group`: questions that can be answered together. */
export type InboxEntry =
  | { kind: 'question'; id: string; createdAt: string; confirmation: Confirmation }
  | { kind: 'group'; id: string; createdAt: string; members: readonly [Confirmation, ...Confirmation[]] }
  | { kind: 'ask'; id: string; createdAt: string; ask: OpenAsk }
  | { kind: 'closed'; id: string; createdAt: string; note: Closed };

/** Fewer questions stay apart. */
const leastGrouped = 3;
/** A group is read to its end as a whole. */
const mostGrouped = 20;
const mostLines = 1_000;

const askerKey = ({ via }: Confirmation) => (via ? `${via.kind} ${via.id}` : 'panel');

const folderOf = ({ resource }: Confirmation) => resource.slice(0, resource.lastIndexOf('/'));

const linesOf = ({ preview }: Confirmation) => (preview === null ? 1 : previewRows(preview).length);

/**
 * Whether a question can be answered with others: about files, once, with all that it would change in sight,
 * and without a warning. Commands, pages and the screen have more than a path that differs.
 */
const mayJoin = (question: Confirmation) => {
  const { toolGroup, options, preview, resource } = question;
  return (
    toolGroup.startsWith('filesystem') &&
    options.includes('allowOnce') &&
    options.includes('denyOnce') &&
    warningsOf(resource).length === 0 &&
    (preview === null || (leftOutWords(preview) === undefined && previewWarnings(preview).length === 0))
  );
};

interface Collected {
  members: [Confirmation, ...Confirmation[]];
  lines: number;
}

/** Questions of one agent to one machine about one tool and one folder, oldest first. */
const collect = (open: readonly Confirmation[]): Map<string, Collected> => {
  const collected = new Map<string, Collected>();
  for (const one of open.filter(mayJoin)) {
    const key = JSON.stringify([askerKey(one), one.machineId, one.tool, folderOf(one)]);
    const before = collected.get(key);
    const lines = linesOf(one);
    if (before === undefined) collected.set(key, { members: [one], lines });
    else if (before.members.length < mostGrouped && before.lines + lines <= mostLines) {
      before.members.push(one);
      before.lines += lines;
    }
  }
  return collected;
};

interface Waiting {
  open: readonly Confirmation[];
  asks: readonly OpenAsk[];
  closed: readonly Closed[];
}

const questionEntry = (confirmation: Confirmation): InboxEntry => ({
  kind: 'question',
  id: confirmation.id,
  createdAt: confirmation.createdAt,
  confirmation,
});

/** Everything that waits, and what has just closed; the oldest first, like questions together. */
export const inboxEntries = ({ open, asks, closed }: Waiting): InboxEntry[] => {
  const groups = [...collect(open).entries()].filter(([, { members }]) => members.length >= leastGrouped);
  const grouped = new Set(groups.flatMap(([, { members }]) => members.map(({ id }) => id)));
  const entries: InboxEntry[] = [
    ...groups.map(([, { members }]) => ({
      kind: 'group' as const,
      id: `group ${members[0].id}`,
      createdAt: members[0].createdAt,
      members,
    })),
    ...open.filter(({ id }) => !grouped.has(id)).map(questionEntry),
    ...asks.map((ask) => ({ kind: 'ask' as const, id: ask.requestId, createdAt: ask.createdAt, ask })),
    ...closed.map((note) => ({ kind: 'closed' as const, id: note.id, createdAt: note.createdAt, note })),
  ];
  return entries.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
};

/** The page of an entry. */
export const pageOf = (entry: InboxEntry): string => {
  const id = encodeURIComponent(entry.kind === 'group' ? entry.members[0].id : entry.id);
  return entry.kind === 'group' ? `/inbox/${id}?group=1` : `/inbox/${id}`;
};

/** Whether an entry is the one that an address names. */
export const isOf = (entry: InboxEntry, id: string, asGroup: boolean): boolean =>
  entry.kind === 'group' ? asGroup && entry.members.some((one) => one.id === id) : entry.id === id;

/** A shown entry as it is now. A group that came apart keeps its place with what is left of it. */
const asNow = (entry: InboxEntry, byId: ReadonlyMap<string, InboxEntry>): InboxEntry => {
  const now = byId.get(entry.id);
  if (now !== undefined || entry.kind !== 'group') return now ?? entry;
  const [first, ...others] = entry.members.filter(({ id }) => byId.get(id)?.kind === 'question');
  return first === undefined ? entry : { ...entry, members: [first, ...others] };
};

/** The entries in the order in which they were last shown; what is new comes at the end, not yet grouped. */
export const heldEntries = (shown: readonly InboxEntry[], now: readonly InboxEntry[]): InboxEntry[] => {
  const before = new Set(shown.map(({ id }) => id));
  const apart = now.flatMap((entry) =>
    entry.kind === 'group' && !before.has(entry.id) ? entry.members.map(questionEntry) : [entry],
  );
  const byId = new Map(apart.map((entry) => [entry.id, entry]));
  const rows = shown.map((entry) => asNow(entry, byId));
  const known = new Set(
    rows.flatMap((row) => (row.kind === 'group' ? [row.id, ...row.members.map(({ id }) => id)] : row.id)),
  );
  return [...rows, ...apart.filter(({ id }) => !known.has(id))];
};
