import type { OpenAsk } from '@drawbridge/contracts/agent/asks';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import type { Closed } from '../confirmations/closed-notes.ts';
import { groupId, groupsOf, type Group } from '../confirmations/group/groups.ts';

/** One line of the inbox. `group`: questions that can be answered together. */
export type InboxEntry =
  | { kind: 'question'; id: string; createdAt: string; confirmation: Confirmation }
  | { kind: 'group'; id: string; createdAt: string; members: Group }
  | { kind: 'ask'; id: string; createdAt: string; ask: OpenAsk }
  | { kind: 'closed'; id: string; createdAt: string; note: Closed };

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
  const groups = groupsOf(open);
  const grouped = new Set(groups.flat().map(({ id }) => id));
  const entries: InboxEntry[] = [
    ...groups.map((members) => ({
      kind: 'group' as const,
      id: groupId(members),
      createdAt: members[0].createdAt,
      members,
    })),
    ...open.filter(({ id }) => !grouped.has(id)).map(questionEntry),
    ...asks.map((ask) => ({ kind: 'ask' as const, id: ask.requestId, createdAt: ask.createdAt, ask })),
    ...closed.map((note) => ({ kind: 'closed' as const, id: note.id, createdAt: note.createdAt, note })),
  ];
  return entries.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id.localeCompare(b.id));
};

/** Who asks, of a question of the built-in agent. */
export const askerOf = ({ threadTitle }: OpenAsk): string => `Chat · ${threadTitle || 'New chat'}`;

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

/** How many questions entries have, those of a group one by one. */
export const questionsIn = (entries: readonly InboxEntry[]): number =>
  entries.reduce((sum, entry) => sum + (entry.kind === 'group' ? entry.members.length : 1), 0);
