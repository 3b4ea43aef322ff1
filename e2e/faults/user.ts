import { systemClock, type Clock } from '@drawbridge/kit';
import type { Person } from '../harness/index.ts';
import type { History } from './history.ts';
import type { PlannedCall, PlannedTool } from './plan.ts';
import { createWatch } from './watch.ts';

/** A person with a panel: makes calls, clicks on questions, cancels, and looks at the list all the time. */
export interface User {
  index: number;
  person: Person;
  /** Makes a call and whatever the plan has for it; resolves when its caller has heard or left. */
  call(planned: PlannedCall): Promise<void>;
  /** From now on every question is answered, also those that nobody was to answer. */
  answerAll(): void;
  /** Requests that the list shows as open; null when the list cannot be read. */
  open(): Promise<string[] | null>;
  /** One more call when all is quiet; resolves with the state that it ended in. */
  lastCall(): Promise<string>;
  stop(): void;
}

export interface UserNeeds {
  index: number;
  person: Person;
  history: History;
  /** Where the user's edits are prepared: writes the file for an edit. */
  prepare(op: string): void;
}
