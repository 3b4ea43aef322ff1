import type { CallRow, ConfirmationRow, Evidence } from '../evidence.ts';
import type { Entry, Happening } from '../history.ts';

type Of<Type extends Happening['type']> = Entry & { type: Type };

/** The evidence, sorted by what the invariants ask for. */
export interface Facts extends Evidence {
  of<Type extends Happening['type']>(type: Type): Of<Type>[];
  callOf(requestId: string): CallRow | undefined;
  confirmationsOf(requestId: string): ConfirmationRow[];
  /** The machine of a key, by the key's digest; the digest itself where the server has forgotten the key. */
  machineOf(key: string): string;
  /** Times at which an op is known to have run: marks by their time, edits by null. */
  runsOf(op: string): (number | null)[];
  /** Every op that left something. */
  ranOps: string[];
  callsOfOp(op: string): CallRow[];
  /** Whether the user's daemon was ended, held still or doubled at some time between the two. */
  disturbed(user: number, between: { from: number; to: number }): boolean;
}

/** How long it takes after a disturbance until a daemon is itself again. */
const recoveryMs = 5_000;

export const grouped = <T>(all: T[], keyOf: (one: T) => string | null): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key === null) continue;
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return groups;
};

export const createFacts = (evidence: Evidence): Facts => {
  const { history, marks, edits, calls, confirmations } = evidence;
  const byId = new Map(calls.map((row) => [row.requestId, row]));
  const byOp = grouped(calls, (row) => row.op);
  // Postgres gives rows in any order.
  const asked = grouped(
    confirmations.toSorted((a, b) => a.createdAt - b.createdAt),
    (row) => row.requestId,
  );
  const begins = grouped(
    marks.filter((mark) => mark.what === 'begins'),
    (mark) => mark.op,
  );
  const byType = grouped(history, (one) => one.type);
  const edited = grouped(edits, (edit) => edit.op);
  const runsOf = (op: string) => [
    ...(begins.get(op) ?? []).map((mark) => mark.at),
    ...(edited.get(op) ?? []).flatMap((edit) => Array<null>(edit.times).fill(null)),
  ];
  return {
    ...evidence,
    // They were put together by their type.
    of: <Type extends Happening['type']>(type: Type) => (byType.get(type) ?? []) as Of<Type>[],
    machineOf: (key) => evidence.machines[key] ?? key,
    callOf: (requestId) => byId.get(requestId),
    confirmationsOf: (requestId) => asked.get(requestId) ?? [],
    runsOf,
    ranOps: [...new Set([...begins.keys(), ...edited.keys()])].filter((op) => runsOf(op).length > 0),
    callsOfOp: (op) => byOp.get(op) ?? [],
    disturbed: (user, { from, to }) =>
      [...(byType.get('disturbed') ?? []), ...(byType.get('daemon-ended') ?? [])].some((one) => {
        if (one.type === 'daemon-ended') return one.user === user && one.at >= from && one.at <= to;
        if (one.type !== 'disturbed' || one.user !== user) return false;
        return one.at <= to && one.at + one.forMs + recoveryMs >= from;
      }),
  };
};

export const terminal = new Set(['succeeded', 'failed', 'denied', 'cancelled', 'timed-out', 'lost']);
