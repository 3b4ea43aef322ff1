import type { Processes } from '@drawbridge/e2e/harness';

/** What one row of the table measures. */
export interface RowText {
  measure: string;
  /** `ratio`: the goal counts how many times the bare figure ours is. `number`: there is no baseline. */
  kind: 'ratio' | 'number';
  /** What the figures count, such as `ms`. */
  unit: string;
  goal: { atMost: number } | { atLeast: number };
}

/** A row that compares ours with something bare. */
export const ratio = (measure: string, unit: string, goal: RowText['goal']): RowText => ({
  measure,
  kind: 'ratio',
  unit,
  goal,
});

export interface Figure {
  ours: number;
  bare?: number;
}

export interface Stage {
  processes: Processes;
  /** Fewer in a quick run. */
  scaled(count: number): number;
  /** Flags of Node for our own processes, such as a profiler's. */
  nodeFlags: string[];
  /** Measures one row: a group that takes too long is given up with the name of the row at which it stood. */
  inRow<T>(id: string, measure: () => Promise<T>): Promise<T>;
  /** Runs when the group is over, before its processes end: for what would go on trying to reach them. */
  whenOver(close: () => unknown): void;
}

/** Rows that share what they need: one round gives a figure for each. */
export interface Group<Id extends string = string> {
  name: string;
  rows: Record<Id, RowText>;
  /** The longest that it may take, in milliseconds. */
  givenUpMs?: number;
  /** Starts what is needed; each call of what it gives is one round. */
  open(stage: Stage): Promise<() => Promise<Record<Id, Figure>>>;
}
